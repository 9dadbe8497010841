"""The command filters of one session: the rules of the control plane, compiled."""

import logging
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from uuid import UUID

from postern.contracts.command_control import CommandAction, CommandControl, CommandDecision, CommandRule
from postern.kernel.command_control.rules import InvalidRule, Rule, RuleKind, RuleSet
from postern.kernel.command_control.verdict import Action, Verdict

log = logging.getLogger(__name__)

#: Sessions of one permission usually share their rules.
_COMPILED: Final = 64
_ACTIONS: Final = {
    CommandAction.ALLOW: Action.ALLOW,
    CommandAction.CONFIRM: Action.CONFIRM,
    CommandAction.DENY: Action.DENY,
}
_NOTHING: Final = RuleSet(())


@dataclass(frozen=True)
class Filters:
    """Compiled rules. `fault` is set if they cannot be compiled: then every line is refused."""

    version: int
    rules: RuleSet
    names: dict[UUID, str]
    fault: str = ""

    @property
    def can_refuse(self) -> bool:
        """Whether any line could be refused or need a confirmation. Without that, no key needs to be held."""
        return bool(self.fault) or self.rules.can_refuse

    def decision(self, verdict: Verdict) -> CommandDecision:
        """Return the report of a verdict."""
        action = next(name for name, number in _ACTIONS.items() if number is verdict.action)
        rule_id = UUID(verdict.rule) if verdict.rule else None
        reason = verdict.unresolved.value if verdict.unresolved is not None and rule_id is None else ""
        name = self.names.get(rule_id, "") if rule_id is not None else ""
        return CommandDecision(action=action, rule_id=rule_id, filter_name=name, reason=reason)


def compiled(control: CommandControl) -> Filters:
    """Compile the rules of a session."""
    names = {rule.id: rule.filter_name for rule in control.rules}
    try:
        return Filters(control.version, _rule_set(control.rules, control.unresolved), names)
    except Exception as error:  # rules that cannot be used must refuse, whatever is wrong with them
        if not isinstance(error, InvalidRule):
            log.exception("command filters could not be compiled")
        return Filters(control.version, _NOTHING, names, fault=str(error) or type(error).__name__)


@lru_cache(maxsize=_COMPILED)
def _rule_set(rules: tuple[CommandRule, ...], unresolved: CommandAction) -> RuleSet:
    return RuleSet(
        (
            Rule(str(rule.id), RuleKind(rule.kind.value), rule.content, rule.priority, _ACTIONS[rule.action])
            for rule in rules
        ),
        unresolved=_ACTIONS[unresolved],
    )
