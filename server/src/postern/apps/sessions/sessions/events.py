"""Events of sessions, published after their transaction has committed."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """A session was permitted and is being opened."""

    session_id: UUID
    org_id: UUID
    user_id: UUID


@dataclass(frozen=True, slots=True)
class SessionChanged:
    """A running session changed in lists: its target answered, or it is alive after all."""

    session_id: UUID
    org_id: UUID


@dataclass(frozen=True, slots=True)
class SessionFinished:
    """A session has ended. `reason` is an `EndReason` value. `ever_active`: the target had answered."""

    session_id: UUID
    org_id: UUID
    user_id: UUID
    reason: str
    ever_active: bool


@dataclass(frozen=True, slots=True)
class RecordingFailed:
    """A session ended because it could not be recorded, or (`is_lost`) its recording could not be recovered.

    `session` is `system user@asset`, `user` is `Name(username)`.
    """

    session_id: UUID
    org_id: UUID
    session: str
    user: str
    is_lost: bool
