"""Events of credentials."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class PasswordChanged:
    """The password was changed; login sessions and tokens created with the old one are void."""

    user_id: UUID
    username: str
    by_self: bool


@dataclass(frozen=True, slots=True)
class PublicKeysChanged:
    user_id: UUID
    username: str
