"""What happens to accounts."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class UserCreated:
    user_id: UUID
    username: str


@dataclass(frozen=True, slots=True)
class UserClosed:
    """The person may no longer act: everything that he has open ends now (K40).

    `cause`: `disabled`, `expired` or `deleted`.
    """

    user_id: UUID
    username: str
    cause: str


@dataclass(frozen=True, slots=True)
class UserExpiryMoved:
    """The end date of an account was set or moved: what the person has open ends at another instant."""

    user_id: UUID
