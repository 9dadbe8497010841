"""Validates stored values: rows are also written by hand, and by versions with other limits.

An invalid value must not prevent every sign-in. Another value applies in its place. The log, the form of the setting
and the page "about" name the setting.
"""

import json
import logging
from functools import lru_cache
from typing import Final

from postern.apps.preferences import environment
from postern.apps.preferences.declarations.preference import Kind, Preference, Value
from postern.apps.preferences.registry import REGISTRY
from postern.kernel.errors import SettingsError

_logger = logging.getLogger(__name__)
#: Kinds whose stored text is validated. The texts of other kinds apply unchecked, because their default could be less
#: strict, such as the default of a group filter.
_CLOSED: Final = frozenset({Kind.BOOLEAN, Kind.INTEGER, Kind.CHOICE})
_MAX_LOGGED_CHARS: Final = 200


def usable(name: str, stored: object) -> Value:
    """The value in use for a stored JSON value. The setting is not secret."""
    if stored is None or isinstance(stored, bool | int | str):
        return _usable(name, stored)
    return _usable(name, json.dumps(stored))


def is_usable(name: str, stored: object) -> bool:
    """Whether a stored JSON value is valid. The setting is not secret."""
    text = stored if stored is None or isinstance(stored, bool | int | str) else json.dumps(stored)
    try:
        _meaning(REGISTRY[name], text)
    except SettingsError:
        return False
    return True


# Typed, because True and 1 are equal. The cache also limits the warnings to one per value and process.
@lru_cache(maxsize=1024, typed=True)
def _usable(name: str, stored: bool | int | str | None) -> Value:
    setting = REGISTRY[name]
    try:
        return _meaning(setting, stored)
    except SettingsError:
        instead = setting.unset() if setting.if_unusable is None else setting.if_unusable
        logged = repr(stored)[:_MAX_LOGGED_CHARS]
        _logger.warning(
            "the stored value %s of %s cannot be used; %r applies until it is saved again", logged, name, instead
        )
        return instead


def _meaning(setting: Preference, stored: bool | int | str | None) -> Value:
    if stored is None:
        if setting.default is None and not setting.required:
            return None
        raise SettingsError("null")
    text = stored if isinstance(stored, str) else json.dumps(stored)
    if setting.kind in _CLOSED:
        return environment.read(setting, text)
    if setting.kind is Kind.MAPPING and not _is_object(text):
        raise SettingsError("no JSON object")
    return text


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
