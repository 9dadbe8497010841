"""What happens to sign-ins and credentials."""

from dataclasses import dataclass
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
