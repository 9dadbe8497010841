"""Events of sessions, from the proxy to the control plane. Calls are idempotent.

The proxy stores unsent events in a file and sends them in order when the control plane is available again.
"""

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from postern.contracts.command_control import CommandDecision
from postern.contracts.enums import Actions, CommandKind, EndReason, RecordingState, RiskLevel, TransferDirection

SESSION_EVENTS: Final = "events/"
RECORDING_UPLOAD: Final = "recordings/{session_id}/content/"
"""`PUT` with raw body and `Content-Range: bytes first-last/total`; the answer `{"received": n}` allows resuming.

`GET` returns the same number. The file's size and SHA-256 are checked against `RecordingSealed` before it is accepted.
"""


class SessionStarted(msgspec.Struct, frozen=True, kw_only=True, tag="session_started"):
    """The target's shell, command or subsystem is open."""

    session_id: UUID
    at: datetime
    kind: str  # shell | exec | sftp | scp | rsync | forward | query …: depends on the protocol
    terminal_columns: int = 0
    terminal_rows: int = 0
    recording: bool = False
    via: str = ""  # names of the gateways on the way, from the proxy to the target
    login_name: str = ""  # the account on the target, if the person entered it


class SessionEnded(msgspec.Struct, frozen=True, kw_only=True, tag="session_ended"):
    session_id: UUID
    at: datetime
    reason: EndReason
    detail: str = ""
    exit_status: int | None = None
    bytes_in: int = 0  # from person to target
    bytes_out: int = 0
    ever_active: bool = True  # False: the session ended while opening
    protocol: str = ""  # detected protocol of a command: rsync, scp, git, tar, sftp


class CommandSeen(msgspec.Struct, frozen=True, kw_only=True, tag="command_seen"):
    """A command. `offset_ms` is its position in the recording; `output` is the first kilobytes of its output as plain
    text.
    """

    id: UUID
    session_id: UUID
    at: datetime
    offset_ms: int
    kind: CommandKind
    input: str
    output: str = ""
    risk_level: RiskLevel = RiskLevel.ORDINARY
    decision: CommandDecision | None = None  # of a command filter; a refused command did not run


class TransferBegun(msgspec.Struct, frozen=True, kw_only=True, tag="transfer_begun"):
    """A file is about to be opened or changed. `FileTransferred` with the same `id` reports the result.

    Without that event the transfer was interrupted, and the number of transferred bytes is unknown.
    """

    id: UUID
    session_id: UUID
    at: datetime
    direction: TransferDirection
    operation: str
    path: str


class FileTransferred(msgspec.Struct, frozen=True, kw_only=True, tag="file_transferred"):
    """A file was transferred or changed. `size` is the number of transferred bytes; `path` is the client's, decoded
    with escapes. `sha256` is the hash of the whole file in hexadecimal, if it passed once, whole and in order; else "".
    """

    id: UUID
    session_id: UUID
    at: datetime
    direction: TransferDirection
    operation: str  # upload, download, rename, remove, mkdir, rmdir, symlink, setstat
    path: str
    size: int = 0
    success: bool = True
    detail: str = ""
    sha256: str = ""


class RequestRefused(msgspec.Struct, frozen=True, kw_only=True, tag="request_refused"):
    """A request in a session was refused by rule, such as a forward or an upload without permission."""

    id: UUID
    session_id: UUID
    at: datetime
    request: str
    detail: str = ""


class ForwardOpened(msgspec.Struct, frozen=True, kw_only=True, tag="forward_opened"):
    """The target is about to connect to a port or socket of its own, for a program of the person.

    `asked` is the client's wording, `opened` what the target connects to, `originator` the client's own word for who
    connected to it. Contents are not recorded. `ForwardClosed` with the same `id` reports the end.
    """

    id: UUID
    session_id: UUID
    at: datetime
    asked: str
    opened: str
    originator: str = ""


class ForwardClosed(msgspec.Struct, frozen=True, kw_only=True, tag="forward_closed"):
    """A forwarded connection has ended, or the target could not make it. `bytes_in`: from the person to the target."""

    id: UUID
    session_id: UUID
    at: datetime
    bytes_in: int = 0
    bytes_out: int = 0
    duration_ms: int = 0
    reason: str = ""


class ActionsEnded(msgspec.Struct, frozen=True, kw_only=True, tag="actions_ended"):
    """Some actions have reached their end date while the session continues. `version` is that of their grant."""

    session_id: UUID
    at: datetime
    version: int
    actions: Actions


class RecordingCheckpoint(msgspec.Struct, frozen=True, kw_only=True, tag="recording_checkpoint"):
    """The current head of the hash chain, which exposes a truncated or rewritten recording."""

    session_id: UUID
    at: datetime
    block: int
    chain: str  # hex SHA-256


class RecordingSealed(msgspec.Struct, frozen=True, kw_only=True, tag="recording_sealed"):
    """The recording is complete on the proxy; its content is uploaded afterwards."""

    session_id: UUID
    at: datetime
    state: RecordingState  # sealed, incomplete or lost
    size: int = 0
    sha256: str = ""
    chain: str = ""
    key_id: str = ""
    duration_ms: int = 0


SessionEvent = (
    SessionStarted
    | SessionEnded
    | CommandSeen
    | TransferBegun
    | FileTransferred
    | RequestRefused
    | ForwardOpened
    | ForwardClosed
    | ActionsEnded
    | RecordingCheckpoint
    | RecordingSealed
)


class EventBatch(msgspec.Struct, frozen=True, kw_only=True):
    """Events in the order in which they happened; at most 500."""

    events: tuple[SessionEvent, ...]


class EventBatchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`rejected` lists indexes of events that can never be accepted (unknown session); all others have been stored."""

    accepted: int
    rejected: tuple[int, ...] = ()
