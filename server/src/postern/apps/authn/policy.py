"""When a password is due to be changed. Plain rules."""

from datetime import datetime

from postern.apps.users.models import User
from postern.apps.users.passwords import days_until_expiry
from postern.apps.users.rules import password_rules


def password_is_due(user: User, *, now: datetime) -> bool:
    """Whether the person must change the password before anything else. Only local accounts have one of ours."""
    if not user.is_local:
        return False
    if user.need_update_password:
        return True
    days_left = days_until_expiry(user.date_password_last_updated, password_rules(), now=now)
    return days_left is not None and days_left <= 0
