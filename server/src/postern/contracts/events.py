"""What happened in a session: proxy → control plane. Every call may be repeated; a repeat changes nothing.

The proxy keeps unsent events in a file and sends them in order when the control plane is back.
"""

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from postern.contracts.enums import Actions, CommandKind, EndReason, RecordingState, RiskLevel, TransferDirection

SESSION_EVENTS: Final = "events/"
RECORDING_UPLOAD: Final = "recordings/{session_id}/content/"
"""`PUT`, raw body, `Content-Range: bytes first-last/total`; answers `{"received": n}`, so that it can be resumed.
`GET` answers the same count. The sealed file is checked (size, SHA-256 of `RecordingSealed`) before it counts."""


class SessionStarted(msgspec.Struct, frozen=True, kw_only=True, tag="session_started"):
    """The target's shell, command or subsystem is open."""

    session_id: UUID
    at: datetime
    kind: str  # shell | exec | sftp | scp | rsync | forward | query …: a word of the protocol
    terminal_columns: int = 0
    terminal_rows: int = 0
    recording: bool = False


class SessionEnded(msgspec.Struct, frozen=True, kw_only=True, tag="session_ended"):
    session_id: UUID
    at: datetime
    reason: EndReason
    detail: str = ""
    exit_status: int | None = None
    bytes_in: int = 0  # from the person to the target
    bytes_out: int = 0
    ever_active: bool = True  # False: the session never got beyond opening
    protocol: str = ""  # what a command spoke, recognised on the wire: rsync, scp, git, tar, sftp


class CommandSeen(msgspec.Struct, frozen=True, kw_only=True, tag="command_seen"):
    """One command. `offset_ms` is its place in the recording; `output` holds its first kilobytes as plain text."""

    id: UUID
    session_id: UUID
    at: datetime
    offset_ms: int
    kind: CommandKind
    input: str
    output: str = ""
    risk_level: RiskLevel = RiskLevel.ORDINARY


class TransferBegun(msgspec.Struct, frozen=True, kw_only=True, tag="transfer_begun"):
    """A file is about to be opened or changed. `FileTransferred` with the same `id` says how it went.

    Where that never comes, the transfer was interrupted, and how much was carried is unknown.
    """

    id: UUID
    session_id: UUID
    at: datetime
    direction: TransferDirection
    operation: str
    path: str


class FileTransferred(msgspec.Struct, frozen=True, kw_only=True, tag="file_transferred"):
    """One file moved or changed. `size` in bytes as carried; `path` as the client named it, decoded with escapes."""

    id: UUID
    session_id: UUID
    at: datetime
    direction: TransferDirection
    operation: str  # upload, download, rename, remove, mkdir, rmdir, symlink, setstat
    path: str
    size: int = 0
    success: bool = True
    detail: str = ""


class RequestRefused(msgspec.Struct, frozen=True, kw_only=True, tag="request_refused"):
    """A request in a session was refused by rule (a forward, an upload without the right …)."""

    id: UUID
    session_id: UUID
    at: datetime
    request: str
    detail: str = ""


class ActionsEnded(msgspec.Struct, frozen=True, kw_only=True, tag="actions_ended"):
    """The end date of some actions came while the session goes on. `version` is that of the grant they belonged to."""

    session_id: UUID
    at: datetime
    version: int
    actions: Actions


class RecordingCheckpoint(msgspec.Struct, frozen=True, kw_only=True, tag="recording_checkpoint"):
    """The chain's head so far, so that a cut-off or rewritten recording shows."""

    session_id: UUID
    at: datetime
    block: int
    chain: str  # hex SHA-256


class RecordingSealed(msgspec.Struct, frozen=True, kw_only=True, tag="recording_sealed"):
    """The recording is complete on the proxy; its content follows by upload."""

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
    | ActionsEnded
    | RecordingCheckpoint
    | RecordingSealed
)


class EventBatch(msgspec.Struct, frozen=True, kw_only=True):
    """Events in the order in which they happened; at most 500 in a batch."""

    events: tuple[SessionEvent, ...]


class EventBatchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`rejected` lists indexes of events that can never be accepted (unknown session); all others are stored."""

    accepted: int
    rejected: tuple[int, ...] = ()
