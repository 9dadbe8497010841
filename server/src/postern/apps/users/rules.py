"""The password rules in force, read from the settings registry."""

from typing import Final

from postern.apps.preferences import facade as preferences
from postern.apps.users.passwords import PasswordRules

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
    """The rules that an administrator has set, or their defaults. One query."""
    found = preferences.get_many(*_NAMES)

    def number(name: str) -> int:
        return int(found[name] or 0)

    return PasswordRules(
        min_chars=number("SECURITY_PASSWORD_MIN_LENGTH"),
        admin_min_chars=number("SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH"),
        upper_case=bool(found["SECURITY_PASSWORD_UPPER_CASE"]),
        lower_case=bool(found["SECURITY_PASSWORD_LOWER_CASE"]),
        number=bool(found["SECURITY_PASSWORD_NUMBER"]),
        special_char=bool(found["SECURITY_PASSWORD_SPECIAL_CHAR"]),
        history_count=number("OLD_PASSWORD_HISTORY_LIMIT_COUNT"),
        expiration_days=number("SECURITY_PASSWORD_EXPIRATION_TIME"),
    )
