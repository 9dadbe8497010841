"""Rules for the expiry of passwords, and for how long an entered password or second factor is valid. Pure functions."""

from datetime import datetime, timedelta
from typing import Final

from postern.apps.authn.credentials.models import LoginSession
from postern.apps.users.credentials.passwords import days_until_expiry
from postern.apps.users.credentials.rules import password_rules
from postern.apps.users.models import User

#: Contract: the second factor can be changed for this long after the password was entered or a factor was shown.
PASSWORD_VERIFIED_FOR: Final = timedelta(seconds=300)


def password_was_verified(credential: object, *, now: datetime) -> bool:
    """Whether the user recently entered the password in the browser sign-in of this call, or confirmed at the provider.

    Always False for tokens and access keys.
    """
    if not isinstance(credential, LoginSession) or credential.date_password_verified is None:
        return False
    return now - credential.date_password_verified < PASSWORD_VERIFIED_FOR


def factor_was_shown(credential: object, *, now: datetime) -> bool:
    """Whether the second factor was recently shown in the browser sign-in of this call.

    Always False for tokens and access keys.
    """
    if not isinstance(credential, LoginSession) or credential.date_mfa_verified is None:
        return False
    return now - credential.date_mfa_verified < PASSWORD_VERIFIED_FOR


def password_is_due(user: User, *, now: datetime) -> bool:
    """Whether the user must change the password first. Only local accounts have a password in Postern."""
    if not user.is_local:
        return False
    if user.need_update_password:
        return True
    days_left = days_until_expiry(user.date_password_last_updated, password_rules(), now=now)
    return days_left is not None and days_left <= 0
