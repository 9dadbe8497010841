"""What happens to credentials."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class PasswordChanged:
    """The password was set anew; login sessions and tokens made with the old one are void."""

    user_id: UUID
    username: str
    by_self: bool


@dataclass(frozen=True, slots=True)
class PublicKeysChanged:
    user_id: UUID
    username: str
