"""The decision of the command filters about a command that runs as a whole, outside sessions."""

from functools import lru_cache
from typing import Final
from uuid import UUID

from postern.apps.acls.command_filters import queries
from postern.contracts.command_control import CommandAction, CommandControl, CommandDecision
from postern.kernel.command_control.judge import Session, judge
from postern.kernel.command_control.rules import InvalidRule, Rule, RuleKind, RuleSet
from postern.kernel.command_control.verdict import Action

_ACTIONS: Final = {
    CommandAction.ALLOW: Action.ALLOW,
    CommandAction.CONFIRM: Action.CONFIRM,
    CommandAction.DENY: Action.DENY,
}
_NAMES: Final = {number: name for name, number in _ACTIONS.items()}


def judge_command(system_user_id: UUID, text: str) -> CommandDecision:
    """What the active filters of a system user say about `text`, which a new shell would read as a whole.

    Rules that cannot be used refuse everything.
    """
    control = queries.controls_of([system_user_id])[system_user_id]
    try:
        rule_set = _rule_set(control)
    except InvalidRule:
        return CommandDecision(action=CommandAction.DENY, reason="invalid_rules")
    verdict = judge(text, Session(), rule_set).verdict
    action = _NAMES[verdict.action]
    if verdict.rule is None:
        return CommandDecision(action=action, reason=verdict.unresolved.value if verdict.unresolved else "")
    rule_id = UUID(verdict.rule)
    name = next(rule.filter_name for rule in control.rules if rule.id == rule_id)
    return CommandDecision(action=action, rule_id=rule_id, filter_name=name)


@lru_cache(maxsize=16)
def _rule_set(control: CommandControl) -> RuleSet:
    return RuleSet(
        (
            Rule(str(rule.id), RuleKind(rule.kind.value), rule.content, rule.priority, _ACTIONS[rule.action])
            for rule in control.rules
        ),
        unresolved=_ACTIONS[control.unresolved],
    )
