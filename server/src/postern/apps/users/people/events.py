"""Events of accounts."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class UserCreated:
    user_id: UUID
    username: str


@dataclass(frozen=True, slots=True)
class UserClosed:
    """The account can no longer be used: everything that the user has open ends now (K40: what ends, ends everywhere
    within seconds).

    `cause`: `disabled`, `expired` or `deleted`.
    """

    user_id: UUID
    username: str
    cause: str


@dataclass(frozen=True, slots=True)
class UserExpiryMoved:
    """The end date of an account was set or changed, so what the user has open ends at another time."""

    user_id: UUID
