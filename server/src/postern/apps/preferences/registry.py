"""The registry of settings that administrators change (contract: settings)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from postern.apps.preferences.declarations import basic, ldap, mail, providers, security, syslog, terminal, unlisted
from postern.apps.preferences.declarations.preference import Category, Preference

_ALL: Final = (
    *basic.DECLARED,
    *mail.DECLARED,
    *terminal.DECLARED,
    *security.DECLARED,
    *ldap.DECLARED,
    *providers.DECLARED,
    *syslog.DECLARED,
    *unlisted.DECLARED,
)

REGISTRY: Final[Mapping[str, Preference]] = MappingProxyType({setting.name: setting for setting in _ALL})

#: Password rules that the sign-in and profile pages show.
PASSWORD_RULES: Final = (
    "SECURITY_PASSWORD_MIN_LENGTH",
    "SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH",
    "SECURITY_PASSWORD_UPPER_CASE",
    "SECURITY_PASSWORD_LOWER_CASE",
    "SECURITY_PASSWORD_NUMBER",
    "SECURITY_PASSWORD_SPECIAL_CHAR",
)


def of_category(category: Category | None) -> tuple[Preference, ...]:
    """The settings of one form, in its order. None: the settings of all forms."""
    return tuple(
        setting
        for setting in _ALL
        if (setting.category is not None if category is None else setting.category is category)
    )
