"""Conditions that a user must meet before any other action. The same rules apply to every way in (K51: every
restriction holds for every kind of credential).

The ways in: password and key at a proxy, bearer token, access key, browser session, websocket, connection token, and
each session that a proxy opens. Conditions can be met in the console only, so only the console admits users with an
unmet condition.
"""

from collections.abc import Callable
from enum import StrEnum

from postern.apps.authn.callers.errors import (
    ConditionUnmet,
    NoticeMustBeConfirmed,
    NoticeUnconfirmed,
    PasswordDue,
    PasswordMustChange,
    SecondFactorMissing,
)
from postern.apps.authn.callers.policy import password_is_due
from postern.apps.authn.errors import SignInRefused
from postern.apps.authn.second_factors.errors import MfaUnset
from postern.apps.authn.second_factors.queries import has_factor
from postern.apps.users.credentials.rules import mfa_is_forced
from postern.apps.users.models import User
from postern.kernel import clock


class Condition(StrEnum):
    """The conditions, in the order in which the console asks for them."""

    SECOND_FACTOR = "second_factor"
    PASSWORD = "password"  # noqa: S105 - a word, not a password
    NOTICE = "notice"


_REFUSALS: dict[Condition, type[SignInRefused]] = {
    Condition.SECOND_FACTOR: MfaUnset,
    Condition.PASSWORD: PasswordDue,
    Condition.NOTICE: NoticeUnconfirmed,
}

_CLOSED: dict[Condition, Callable[[], ConditionUnmet]] = {
    Condition.SECOND_FACTOR: SecondFactorMissing,
    Condition.PASSWORD: PasswordMustChange,
    Condition.NOTICE: NoticeMustBeConfirmed,
}


def unmet(user: User) -> Condition | None:
    """The first condition that the user does not meet, or None.

    A second factor is mandatory and not set up; the password must be changed (marked or expired); or the first sign-in
    was not completed, so the user never confirmed that sessions are recorded. A service account has no conditions:
    nobody could meet them in the console.
    """
    if user.is_service_account:
        return None
    if mfa_is_forced(user) and not has_factor(user.pk):
        return Condition.SECOND_FACTOR
    if password_is_due(user, now=clock.now()):
        return Condition.PASSWORD
    if user.is_first_login:
        return Condition.NOTICE
    return None


def require(user: User) -> None:
    """Raise MfaUnset, PasswordDue or NoticeUnconfirmed. Their messages contain the console's address."""
    condition = unmet(user)
    if condition is not None:
        raise _REFUSALS[condition]


def closed(condition: Condition) -> ConditionUnmet:
    """The error for a call of a signed-in user with an unmet condition."""
    return _CLOSED[condition]()
