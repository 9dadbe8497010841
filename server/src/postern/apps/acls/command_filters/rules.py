"""From stored rules to those of the kernel and of the contract, and which of them cannot be used."""

from collections.abc import Iterable
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.apps.acls.command_filters.errors import RuleRefused
from postern.apps.acls.command_filters.models import CommandFilterRule, FilterAction, RuleAction, RuleType
from postern.contracts.command_control import CommandAction, CommandRule, CommandRuleKind
from postern.kernel.command_control.rules import InvalidRule, Rule, RuleKind, validate
from postern.kernel.command_control.verdict import Action

#: Bad lines that one answer names.
_MAX_BAD_LINES: Final = 20
_SHOWN_CHARACTERS: Final = 60

_ACTIONS: Final = {
    RuleAction.DENY: CommandAction.DENY,
    RuleAction.ALLOW: CommandAction.ALLOW,
    RuleAction.CONFIRM: CommandAction.CONFIRM,
}
_JUDGED: Final = {
    CommandAction.ALLOW: Action.ALLOW,
    CommandAction.CONFIRM: Action.CONFIRM,
    CommandAction.DENY: Action.DENY,
}

#: Reasons of the parsers, by how they begin. RE2 gives them in English, with the place behind a colon.
_REASONS: Final[tuple[tuple[str, Promise], ...]] = (
    ("names no program", gettext_lazy("the line names no program")),
    ("No closing quotation", gettext_lazy("a quotation mark is not closed")),
    ("No escaped character", gettext_lazy("there is a backslash at the end")),
    ("missing )", gettext_lazy("a closing parenthesis is missing")),
    ("unexpected )", gettext_lazy("a closing parenthesis has no opening parenthesis")),
    ("missing ]", gettext_lazy("a closing bracket is missing")),
    ("no argument for repetition", gettext_lazy("a repetition such as * has nothing to repeat")),
    ("bad repetition", gettext_lazy("two repetitions follow each other")),
    ("invalid repetition size", gettext_lazy("a repetition is larger than 1,000")),
    ("invalid character class", gettext_lazy("a character class is not valid")),
    ("invalid escape", gettext_lazy("an escape such as \\1 is not supported: there are no back-references")),
    (
        "invalid perl operator",
        gettext_lazy("a group such as (?=…) is not supported: there is no look-ahead or look-behind"),
    ),
    ("trailing \\", gettext_lazy("there is a backslash at the end")),
    ("pattern too large", gettext_lazy("the expression needs too much memory")),
)


def require_usable(kind: RuleType, content: str) -> None:
    """Raises RuleRefused, which names each bad line by its number."""
    if not content.strip():
        raise RuleRefused("content", _("Enter at least one line."))
    messages: list[str] = []
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            validate(RuleKind(kind), line)
        except InvalidRule as error:
            messages.append(_bad_line(number, line.strip(), error.reason))
    if messages:
        raise RuleRefused("content", *messages[:_MAX_BAD_LINES])


def _bad_line(number: int, line: str, reason: str) -> str:
    known = next((text for beginning, text in _REASONS if reason.startswith(beginning)), None)
    shown = line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}…"
    words = {"number": number, "line": shown, "reason": known or _("it is not a valid regular expression")}
    return _("Line %(number)d (%(line)s): %(reason)s.") % words


def message_of(rule: CommandFilterRule) -> CommandRule:
    """The rule as a proxy receives it. Its filter must be loaded."""
    return CommandRule(
        id=rule.pk,
        filter_name=rule.filter.name,
        kind=CommandRuleKind(rule.type),
        content=rule.content,
        priority=rule.priority,
        action=_ACTIONS[RuleAction(rule.action)],
    )


def judged(rules: Iterable[CommandFilterRule]) -> list[Rule]:
    """The rules as the kernel compiles them."""
    return [
        Rule(
            id=str(rule.pk),
            kind=RuleKind(rule.type),
            content=rule.content,
            priority=rule.priority,
            action=_JUDGED[_ACTIONS[RuleAction(rule.action)]],
        )
        for rule in rules
    ]


def strictest(answers: Iterable[str]) -> CommandAction:
    """The strictest answer to unresolved lines; allow when there is none."""
    return max(
        (CommandAction(FilterAction(answer)) for answer in answers),
        key=_JUDGED.__getitem__,
        default=CommandAction.ALLOW,
    )


def judged_action(answer: str) -> Action:
    """An answer to unresolved lines, as the kernel has it."""
    return _JUDGED[CommandAction(FilterAction(answer))]
