"""The current rules for passwords and for the second factor, read from the settings."""

from enum import IntEnum
from typing import Final

from postern.apps.orgs.roles import OrgRole
from postern.apps.preferences import facade as preferences
from postern.apps.users.accounts.models import MfaLevel, SystemRole, User
from postern.apps.users.credentials.passwords import NEVER_EXPIRES_DAYS, PasswordRules

_NAMES: Final = (
    "SECURITY_PASSWORD_MIN_LENGTH",
    "SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH",
    "SECURITY_PASSWORD_UPPER_CASE",
    "SECURITY_PASSWORD_LOWER_CASE",
    "SECURITY_PASSWORD_NUMBER",
    "SECURITY_PASSWORD_SPECIAL_CHAR",
    "OLD_PASSWORD_HISTORY_LIMIT_COUNT",
    "SECURITY_PASSWORD_EXPIRATION_TIME",
)


def password_rules() -> PasswordRules:
    """The password rules set by an administrator, or their defaults. One query."""
    values = preferences.get_many(*_NAMES)

    def number(name: str) -> int:
        return int(values[name] or 0)

    return PasswordRules(
        min_chars=number("SECURITY_PASSWORD_MIN_LENGTH"),
        admin_min_chars=number("SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH"),
        upper_case=bool(values["SECURITY_PASSWORD_UPPER_CASE"]),
        lower_case=bool(values["SECURITY_PASSWORD_LOWER_CASE"]),
        number=bool(values["SECURITY_PASSWORD_NUMBER"]),
        special_char=bool(values["SECURITY_PASSWORD_SPECIAL_CHAR"]),
        history_count=number("OLD_PASSWORD_HISTORY_LIMIT_COUNT"),
        expiration_days=number("SECURITY_PASSWORD_EXPIRATION_TIME"),
    )


def password_expiration_days() -> int | None:
    """The days after which passwords expire; None when they do not."""
    days = preferences.get_int("SECURITY_PASSWORD_EXPIRATION_TIME")
    return days if 0 < days < NEVER_EXPIRES_DAYS else None


class MfaForce(IntEnum):
    """Users for whom the setting SECURITY_MFA_AUTH makes the second factor mandatory."""

    NOBODY = 0
    EVERYBODY = 1
    ADMINISTRATORS = 2


def mfa_force() -> MfaForce:
    """The current setting. One query."""
    return MfaForce(preferences.get_int("SECURITY_MFA_AUTH"))


def mfa_is_forced(user: User, force: MfaForce | None = None) -> bool:
    """Whether the second factor is mandatory for this user, by their own level or by the setting.

    Never for a service account: it has no first factor that a person could know.

    Administrators are those of the installation and of any organization. Memberships are read only when needed.
    """
    if user.is_service_account:
        return False
    if user.mfa_level == MfaLevel.FORCED:
        return True
    force = mfa_force() if force is None else force
    if force is MfaForce.ADMINISTRATORS:
        return user.role == SystemRole.ADMIN or any(row.role == OrgRole.ADMIN for row in user.memberships.all())
    return force is MfaForce.EVERYBODY
