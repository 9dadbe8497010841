"""What happened around signing in; published after commit."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class SignedIn:
    user_id: UUID
    username: str
    login_session_id: UUID | None
    remote_addr: str


@dataclass(frozen=True, slots=True)
class LoginSessionEnded:
    """A browser sign-in is over: what was opened through it (websockets, browser terminals) ends too (K40)."""

    user_id: UUID
    login_session_id: UUID
    reason: str


@dataclass(frozen=True, slots=True)
class CredentialsEnded:
    """Bearer tokens or access keys were revoked, switched off or deleted: what was opened with them ends too (K51).

    `credentials` are named as in `Actor.credential`.
    """

    user_id: UUID
    credentials: frozenset[str]


@dataclass(frozen=True, slots=True)
class AccountLocked:
    """Too many failures: new sign-ins under this name are refused for a while. Open sessions go on."""

    username: str
    remote_addr: str
    minutes: int
    user_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class AccountUnlocked:
    """Somebody took the lock of an account away before its time."""

    user_id: UUID
    username: str
    by: str
    at: datetime
