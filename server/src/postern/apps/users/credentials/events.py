"""Events of credentials."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class PasswordChanged:
    """The password was changed; login sessions and tokens created with the old password are void."""

    user_id: UUID
    username: str
    by_self: bool


@dataclass(frozen=True, slots=True)
class PublicKeysChanged:
    user_id: UUID
    username: str


@dataclass(frozen=True, slots=True)
class PublicKeysRemoved:
    """Somebody else, `by`, removed all SSH public keys of the user."""

    user_id: UUID
    by: str
    at: datetime
