"""Labels of the closed enums of the contracts, in the user's language."""

from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from postern.contracts.command_control import CommandAction
from postern.contracts.enums import (
    SESSION_PROTOCOLS,
    CommandKind,
    EndReason,
    LoginFrom,
    Protocol,
    RecordingState,
    RiskLevel,
    SessionState,
    TransferDirection,
)
from postern.foundation.caller.actor import ActorKind

Choices = tuple[tuple[str, Promise | str], ...]

PROTOCOLS: Final[Choices] = tuple(
    (protocol.value, "kubernetes" if protocol is Protocol.K8S else protocol.value) for protocol in SESSION_PROTOCOLS
)

ACTOR_KINDS: Final[Choices] = (
    (ActorKind.USER.value, _("Person")),
    (ActorKind.SERVICE.value, _("Service account")),
)

LOGIN_FROM: Final[Choices] = (
    (LoginFrom.SSH_TERMINAL.value, _("SSH Terminal")),
    (LoginFrom.RDP_TERMINAL.value, _("RDP Terminal")),
    (LoginFrom.WEB_TERMINAL.value, _("Web Terminal")),
)

SESSION_STATES: Final[Choices] = (
    (SessionState.OPENING.value, _("Opening")),
    (SessionState.ACTIVE.value, _("Active")),
    (SessionState.ENDED.value, _("Ended")),
)

END_REASONS: Final[Choices] = (
    (EndReason.USER_CLOSED.value, _("Closed by the user")),
    (EndReason.TARGET_CLOSED.value, _("Closed by the target")),
    (EndReason.TERMINATED.value, _("Terminated by an administrator")),
    (EndReason.IDLE.value, _("Idle for too long")),
    (EndReason.GRANT_EXPIRED.value, _("Expired")),
    (EndReason.GRANT_WITHDRAWN.value, _("The permission was withdrawn")),
    (EndReason.ACCOUNT_CLOSED.value, _("The account was closed or signed out")),
    (EndReason.CANNOT_RECORD.value, _("The session could not be recorded")),
    (EndReason.UNREACHABLE.value, _("The target could not be reached")),
    (EndReason.CREDENTIAL_REFUSED.value, _("The target refused the credential")),
    (EndReason.HOST_KEY_REFUSED.value, _("The host key of the target has changed")),
    (EndReason.PROTOCOL_UNSUPPORTED.value, _("The protocol is not available")),
    (EndReason.LIMIT.value, _("A limit was exceeded")),
    (EndReason.CONTROL_LOST.value, _("The control plane was unreachable for too long")),
    (EndReason.DRAINED.value, _("The proxy was shut down")),
    (EndReason.INTERRUPTED.value, _("The proxy stopped unexpectedly")),
    (EndReason.ERROR.value, _("An internal error")),
)

RECORDING_STATES: Final[Choices] = (
    (RecordingState.NONE.value, _("No recording")),
    (RecordingState.RECORDING.value, _("Recording")),
    (RecordingState.SEALED.value, _("Complete")),
    (RecordingState.INCOMPLETE.value, _("Incomplete")),
    (RecordingState.LOST.value, _("Lost")),
)

COMMAND_KINDS: Final[Choices] = (
    (CommandKind.ECHO.value, _("Command line")),
    (CommandKind.TYPED.value, _("Typed")),
    (CommandKind.ALT.value, _("In a full-screen program")),
    (CommandKind.HIDDEN.value, _("Hidden input")),
    (CommandKind.UNKNOWN.value, _("Unreadable")),
    (CommandKind.EXEC.value, _("Direct command")),
)

RISK_LEVELS: Final[tuple[tuple[int, Promise | str], ...]] = (
    (RiskLevel.ORDINARY.value, _("Ordinary")),
    (RiskLevel.DANGEROUS.value, _("Dangerous")),
)

#: Decisions of command filters that a proxy reports with a command.
DECISIONS: Final[Choices] = (
    (CommandAction.DENY.value, _("Refused")),
    (CommandAction.CONFIRM.value, _("Not confirmed")),
    (CommandAction.ALLOW.value, _("Confirmed")),
)

TRANSFER_DIRECTIONS: Final[Choices] = (
    (TransferDirection.UPLOAD.value, _("Upload")),
    (TransferDirection.DOWNLOAD.value, _("Download")),
    (TransferDirection.OTHER.value, _("Other")),
)

#: API names of the operations in the file transfer log (contract: audits, FTP logs).
OPERATIONS: Final[Choices] = (
    ("Delete", _("Delete")),
    ("Upload", _("Upload")),
    ("Download", _("Download")),
    ("Rmdir", _("Remove folder")),
    ("Rename", _("Rename")),
    ("Mkdir", _("Make folder")),
    ("Symlink", _("Symbolic link")),
    ("Setstat", _("Change attributes")),
    ("Other", _("Other")),
)


def values(choices: tuple[tuple[Any, Any], ...]) -> list[Any]:
    """The stored values of choices, for a database constraint."""
    return [value for value, _label in choices]
