"""Command filters of a session: the rules that the control plane sends, and confirmations by reviewers.

The proxy compiles the rules with `kernel.command_control`. Texts for people come from the control plane.
"""

from enum import StrEnum
from typing import Final
from uuid import UUID

import msgspec

#: A line may run only after a reviewer agreed.
CONFIRM_COMMAND: Final = "command-confirmations/"
CONFIRMATION_STATE: Final = "command-confirmations/state/"
WITHDRAW_CONFIRMATION: Final = "command-confirmations/withdraw/"


class CommandAction(StrEnum):
    """What happens with a command."""

    ALLOW = "allow"
    CONFIRM = "confirm"
    DENY = "deny"


class CommandRuleKind(StrEnum):
    """`content` of a rule holds one command, or one regular expression (RE2), in each line."""

    COMMAND = "command"
    REGEX = "regex"


class CommandRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule of an active filter. The higher priority decides first."""

    id: UUID
    filter_name: str
    kind: CommandRuleKind
    content: str
    priority: int
    action: CommandAction


class CommandControl(msgspec.Struct, frozen=True, kw_only=True):
    """All rules of a session. `unresolved` decides about lines of which nobody can say what they run: the strictest
    answer of the session's filters. `version` increases with each change during a session.
    """

    version: int = 0
    rules: tuple[CommandRule, ...] = ()
    unresolved: CommandAction = CommandAction.ALLOW


class CommandDecision(msgspec.Struct, frozen=True, kw_only=True):
    """Why a command was refused, or allowed by a reviewer. `rule_id` is None if no rule but `unresolved` decided.

    `action` is `deny` for a refusal, `confirm` for a command that needed a reviewer and did not get one's consent, and
    `allow` for a command that a reviewer allowed. `reason` is the code of `kernel.command_control.verdict.Reason` for an
    unresolved line. It is `unreadable` for a line that was edited out of sight, `not_recorded` in a session without a
    recording, `invalid_rules` if the rules of the session cannot be compiled, and otherwise "".
    """

    action: CommandAction
    rule_id: UUID | None = None
    filter_name: str = ""
    reason: str = ""


class ConfirmCommand(msgspec.Struct, frozen=True, kw_only=True):
    """Ask reviewers about a line that is being held. `line` is the text that runs, `command` the resolved command that
    the rule matched.
    """

    session_id: UUID
    rule_id: UUID | None
    line: str
    command: str
    attempt: str = ""


class ConfirmationState(StrEnum):
    WAITING = "waiting"
    APPROVED = "approved"
    REFUSED = "refused"


class CommandConfirmation(msgspec.Struct, frozen=True, kw_only=True):
    """State of a confirmation. `id` is None when no request was opened, for example because nobody can answer; `state`
    is then `refused`. `message` is in the person's language.
    """

    id: UUID | None = None
    state: ConfirmationState = ConfirmationState.REFUSED
    message: str = ""


class ConfirmationQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Ask for the state of a confirmation, or withdraw it."""

    session_id: UUID
    id: UUID
