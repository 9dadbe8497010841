"""Events of sign-ins and credentials."""

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
    """A browser sign-in ended.

    Its websockets and browser terminals end too (K40: what ends, ends everywhere within
    seconds).
    """

    user_id: UUID
    login_session_id: UUID
    reason: str


@dataclass(frozen=True, slots=True)
class CredentialsEnded:
    """Bearer tokens or access keys were revoked, switched off or deleted. Connections that were opened with them end
    too.

    `credentials` have the form of `Actor.credential`.
    """

    user_id: UUID
    credentials: frozenset[str]
