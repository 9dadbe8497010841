"""What the rules of a filter would decide, with the unsaved rule of a form. Nothing is stored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from postern.apps.acls.command_filters import queries, rules
from postern.apps.acls.command_filters.errors import ExpressionsTooLarge
from postern.apps.acls.command_filters.models import CommandFilter, CommandFilterRule, RuleType
from postern.contracts.command_control import CommandAction
from postern.kernel.command_control.judge import Session, judge
from postern.kernel.command_control.rules import InvalidRule, Rule, RuleSet
from postern.kernel.command_control.verdict import Action, Command, Reason, Verdict

#: Id of a rule that has none yet.
DRAFT: Final = "draft"
#: Lines of one trial, and the steps after which it stops: about half a second on a slow machine.
MAX_LINES: Final = 20
MAX_STEPS: Final = 400_000

#: An action of the kernel as the API names it.
ACTION_NAMES: Final = {
    Action.ALLOW: CommandAction.ALLOW.value,
    Action.CONFIRM: CommandAction.CONFIRM.value,
    Action.DENY: CommandAction.DENY.value,
}

#: Why nobody can say what a line runs.
REASONS: Final[dict[str, Promise]] = {
    Reason.UNKNOWN_PROGRAM.value: _("The name of the program comes from a value that the session does not show."),
    Reason.UNKNOWN_CODE.value: _("A shell or an interpreter gets code that is not known."),
    Reason.UNKNOWN_HISTORY.value: _("The line refers to an earlier line that was not seen."),
    Reason.TOO_LONG.value: _("The line is too long."),
    Reason.TOO_MANY_COMMANDS.value: _("The line runs too many commands."),
    Reason.TOO_MANY_WORDS.value: _("The line makes too many words."),
    Reason.TOO_DEEP.value: _("The line nests too deeply."),
    Reason.TOO_MANY_STEPS.value: _("The line takes too much work to read."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """A rule that decided about a line. `title` is the line of its content that matched, `line_number` its number."""

    id: str
    title: str
    priority: int
    line_number: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandJudged:
    """A command of a line, and what the rules say about it alone."""

    text: str
    action: Action
    rule: Deciding | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LineJudged:
    """The verdict for a line. `matched`: the command that the deciding rule matched; `reason`: why it is unresolved."""

    line: str
    action: Action
    rule: Deciding | None
    matched: str
    reason: str
    is_open: bool
    commands: tuple[CommandJudged, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """Compiled rules, ready to judge lines."""

    rule_set: RuleSet
    rules: dict[str, Rule]

    def lines(self, lines: Sequence[str]) -> list[LineJudged]:
        """Judges lines as if they were typed one after the other; stops beyond `MAX_STEPS`.

        What a line sets counts for the next line, unless the line is refused.
        """
        session = Session()
        steps = 0
        judged: list[LineJudged] = []
        for line in lines[:MAX_LINES]:
            judgement = judge(line, session, self.rule_set)
            steps += judgement.steps
            verdict = judgement.verdict
            judged.append(
                LineJudged(
                    line=line,
                    action=verdict.action,
                    rule=self._deciding(verdict, partial(_rule_in, line, session)),
                    matched=verdict.command or "",
                    reason=verdict.unresolved.value if verdict.unresolved else "",
                    is_open=judgement.is_open,
                    commands=tuple(map(self._command, judgement.commands)),
                )
            )
            session = judgement.session if verdict.action is Action.ALLOW else session.interrupted()
            if steps > MAX_STEPS:
                break
        return judged

    def verdict(self, line: str) -> tuple[Verdict, int]:
        """The verdict for a line by itself, and the steps that it took."""
        judgement = judge(line, Session(), self.rule_set)
        return judgement.verdict, judgement.steps

    def _command(self, command: Command) -> CommandJudged:
        entry = self.rule_set.first_for(command)
        verdict = Verdict(entry.rule.action, entry.rule.id) if entry else Verdict(Action.ALLOW)

        def alone(rule_set: RuleSet) -> str | None:
            found = rule_set.first_for(command)
            return found.rule.id if found else None

        return CommandJudged(text=command.text, action=verdict.action, rule=self._deciding(verdict, alone))

    def _deciding(self, verdict: Verdict, decided_by: Callable[[RuleSet], str | None]) -> Deciding | None:
        rule = self.rules.get(verdict.rule or "")
        if rule is None:
            return None
        matching = decided_by(_line_by_line(rule))
        lines = rule.content.splitlines()
        number = int(matching) if matching else None
        title = lines[number - 1] if number else next(line for line in lines if line.strip())
        return Deciding(id=rule.id, title=title.strip(), priority=rule.priority, line_number=number)


def trial_of(filter_row: CommandFilter, *, draft: CommandFilterRule | None, unresolved: str) -> Trial:
    """The rules of a filter with `draft` in place of the saved rule with its id, or beside the others.

    Raises RuleRefused when the draft cannot be used.
    """
    stored = [rule for rule in queries.rules_of([filter_row.pk]) if draft is None or rule.pk != draft.pk]
    own = rules.judged(stored)
    if draft is not None:
        rules.require_usable(RuleType(draft.type), draft.content)
        known = CommandFilterRule.objects.filter(pk=draft.pk, filter=filter_row).exists()
        [made] = rules.judged([draft])
        own.append(made if known else Rule(DRAFT, made.kind, made.content, made.priority, made.action))
    try:
        rule_set = RuleSet(own, unresolved=rules.judged_action(unresolved or filter_row.unresolved))
    except InvalidRule as error:
        raise ExpressionsTooLarge("content", filter_row.name) from error
    return Trial(rule_set, {rule.id: rule for rule in own})


def _line_by_line(rule: Rule) -> RuleSet:
    """Each line of a rule as a rule of its own, whose id is the number of the line."""
    lines = enumerate(rule.content.splitlines(), start=1)
    return RuleSet(
        Rule(str(number), rule.kind, line, rule.priority, rule.action) for number, line in lines if line.strip()
    )


def _rule_in(line: str, session: Session, rule_set: RuleSet) -> str | None:
    return judge(line, session, rule_set).verdict.rule
