"""Settings that the environment of the installation fixes: POSTERN_SET_<name of the setting>.

Such a value takes precedence over a stored value, and no form can change it.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator

from postern.apps.preferences.declarations.preference import ENVIRONMENT_PREFIX, Kind, Preference, Value
from postern.apps.preferences.registry import REGISTRY
from postern.foundation.configuration.environ import flag
from postern.kernel.errors import SettingsError
from postern.kernel.secret import Secret


def fixed_values() -> Mapping[str, Value | Secret]:
    """The values that the environment fixes, by name of the setting. Raises SettingsError."""
    return values_of(settings.POSTERN.preferences)


@lru_cache(maxsize=8)
def values_of(variables: tuple[tuple[str, Secret], ...]) -> Mapping[str, Value | Secret]:
    """The values of these variables, by name of the setting.

    Raises SettingsError for a variable of an unknown setting and for a value that the setting does not allow.
    """
    values: dict[str, Value | Secret] = {}
    for variable, text in variables:
        setting = REGISTRY.get(variable.removeprefix(ENVIRONMENT_PREFIX))
        if setting is None:
            raise SettingsError(f"{variable}: there is no such setting; docs/reference/preferences.md lists them")
        values[setting.name] = text if setting.is_secret else read(setting, text.reveal())
    return MappingProxyType(values)


def read(setting: Preference, text: str) -> Value:
    """The value of a setting from its text. Raises SettingsError if the setting does not allow it."""
    return _READERS[setting.kind](setting, text)


def _boolean(setting: Preference, text: str) -> Value:
    return flag({setting.variable: text}, setting.variable)


def _integer(setting: Preference, text: str) -> Value:
    low, high = setting.min_value or 0, setting.max_value or 0
    if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
        raise SettingsError(f"{setting.variable} must be a whole number from {low} to {high}; it is {text!r}")
    return int(text)


def _choice(setting: Preference, text: str) -> Value:
    by_text = {str(value): value for value, _ in setting.choices}
    if text not in by_text:
        raise SettingsError(f"{setting.variable} must be one of {', '.join(by_text)}; it is {text!r}")
    return by_text[text]


def _order(setting: Preference, text: str) -> Value:
    entries = [part.strip() for part in text.split(",")]
    allowed = [str(value) for value, _ in setting.choices]
    if not set(entries) <= set(allowed) or len(set(entries)) != len(entries):
        raise SettingsError(f"{setting.variable} must be some of {', '.join(allowed)}, with commas; it is {text!r}")
    return ",".join(entries)


def _string(setting: Preference, text: str) -> Value:
    if setting.max_length is not None and len(text) > setting.max_length:
        raise SettingsError(f"{setting.variable} has more than {setting.max_length} characters")
    if setting.required and not text:
        raise SettingsError(f"{setting.variable} must not be empty")
    for validate in setting.validators if text else ():
        try:
            validate(text)
        except ValidationError as error:
            raise SettingsError(f"{setting.variable}: {' '.join(error.messages)}") from None
    return text


def _url(setting: Preference, text: str) -> Value:
    if text:
        try:
            URLValidator(schemes=["http", "https"])(text)
        except ValidationError:
            raise SettingsError(f"{setting.variable} must be an http or https address; it is {text!r}") from None
    return _string(setting, text)


_READERS: Final[Mapping[Kind, Callable[[Preference, str], Value]]] = {
    Kind.BOOLEAN: _boolean,
    Kind.INTEGER: _integer,
    Kind.CHOICE: _choice,
    Kind.MAPPING: _string,
    Kind.ORDER: _order,
    Kind.STRING: _string,
    Kind.TEXT: _string,
    Kind.URL: _url,
}
