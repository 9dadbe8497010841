"""Public interface of settings for other apps.

    preferences.get_int("SECURITY_LOGIN_LIMIT_COUNT")

Unknown names and wrong types are programming errors (KeyError, TypeError).
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from rest_framework import serializers

from postern.apps.licence import facade as licence
from postern.apps.preferences import actions, forms, queries
from postern.apps.preferences.declarations.ldap import attribute_map as ldap_attributes
from postern.apps.preferences.declarations.preference import Category, Value
from postern.apps.preferences.mail_account import MailAccount, is_mail_configured, mail_account
from postern.apps.preferences.provider_apps import ProviderApp, provider_app
from postern.apps.preferences.registry import REGISTRY
from postern.apps.preferences.secret_destinations import LDAP
from postern.apps.preferences.sign_in_ways import SETTING
from postern.foundation.caller.actor import Actor
from postern.kernel.secret import Secret

__all__ = [
    "Category",
    "MailAccount",
    "ProviderApp",
    "date_set",
    "form_of",
    "get_bool",
    "get_int",
    "get_many",
    "get_order",
    "get_secret",
    "get_str",
    "is_mail_configured",
    "is_set",
    "ldap_attributes",
    "licence_is_valid",
    "mail_account",
    "open_all_sign_in_ways",
    "provider_app",
    "refusal_of_ldap_password",
    "version",
]


def form_of(name: str, settings: Iterable[str]) -> type[serializers.Serializer[Any]]:
    """The serializer class of a form that has these settings."""
    return forms.serializer_for(name, tuple(REGISTRY[setting] for setting in settings))


def refusal_of_ldap_password() -> str:
    """The message that the stored bind password is not sent to another server."""
    return str(LDAP.refusal)


def get_int(name: str) -> int:
    """The current value of an integer setting."""
    current_value = queries.value(name)
    if not isinstance(current_value, int) or isinstance(current_value, bool):
        raise TypeError(f"{name} is not an integer setting")
    return current_value


def get_bool(name: str) -> bool:
    """The current value of a yes/no setting."""
    current_value = queries.value(name)
    if not isinstance(current_value, bool):
        raise TypeError(f"{name} is no boolean setting")
    return current_value


def get_str(name: str) -> str:
    """The current value of a text or choice setting; empty when it is not set."""
    current_value = queries.value(name)
    return "" if current_value is None else str(current_value)


def get_order(name: str) -> list[str]:
    """The current entries of an ordered setting."""
    return forms.order_of(get_str(name))


def get_many(*names: str) -> dict[str, Value]:
    """The current values of several settings, with one query."""
    return queries.values(names)


def get_secret(name: str) -> Secret | None:
    """The value of a secret setting; None while it is not set.

    The web processes, the worker and the command line can read it, because they have the key file. Proxies and the job
    runner do not.
    """
    return queries.secret(name)


def version() -> int:
    """The version of all settings. Each change increments it."""
    return queries.version()


def open_all_sign_in_ways(*, actor: Actor) -> None:
    """Switch on every way of signing in. Raises FixedByEnvironment."""
    actions.change_settings(actor=actor, changes={SETTING: REGISTRY[SETTING].default})


def is_set(name: str) -> bool:
    """Whether an administrator has set the setting; otherwise its default applies."""
    return queries.is_set(name)


def date_set(name: str) -> datetime | None:
    """The time at which an administrator set the setting; None for its default and for a value from the environment."""
    return queries.date_set(name)


def licence_is_valid() -> bool:
    """Whether the licensed features are enabled."""
    return licence.is_valid()
