"""Reads of settings. One query per request, so every process uses a change from its next request on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final

from postern.apps.preferences.declarations.preference import Category, Value
from postern.apps.preferences.environment import fixed_values
from postern.apps.preferences.models import PreferenceValue, PreferenceVersion
from postern.apps.preferences.registry import REGISTRY, of_category
from postern.apps.preferences.setting_secrets import STORE
from postern.apps.preferences.usable import is_usable, usable
from postern.foundation.database.prepared import PreparedQuery
from postern.foundation.requests import request_memory
from postern.kernel.secret import Secret

_MEMORY: Final = "preferences"


def value(name: str) -> Value:
    """The current value of one setting. Raises KeyError for a name that is not in the registry."""
    return values((name,))[name]


def values(names: Iterable[str]) -> dict[str, Value]:
    """The current values of several settings, in the order of `names`. The value of a secret setting is None."""
    wanted = tuple(names)
    if not wanted:
        return {}
    fixed, stored = fixed_values(), request_memory.kept(_MEMORY, _stored)
    return {name: _current(name, fixed, stored) for name in wanted}


def secret(name: str) -> Secret | None:
    """The value of a secret setting; None while it is not set. Raises KeyError for a setting that is not secret."""
    if not REGISTRY[name].is_secret:
        raise KeyError(name)
    fixed = fixed_values().get(name)
    return fixed if isinstance(fixed, Secret) else STORE.value.get(name)


def is_set(name: str) -> bool:
    """Whether an administrator or the environment has set the setting."""
    return name in fixed_values() or name in request_memory.kept(_MEMORY, _stored)


def broken(names: Iterable[str]) -> frozenset[str]:
    """The settings among `names` whose stored value is invalid. Another value applies until they are saved again."""
    fixed, stored = fixed_values(), request_memory.kept(_MEMORY, _stored)
    return frozenset(
        name
        for name in names
        if name in stored
        and name not in fixed
        and not REGISTRY[name].is_secret
        and not is_usable(name, _read(name, stored[name]))
    )


def unusable(names: Iterable[str]) -> frozenset[str]:
    """The settings among `names` whose stored value differs from the value in use. `names` contains no secret settings."""
    stored = request_memory.kept(_MEMORY, _stored)
    read = {name: _read(name, stored[name]) for name in names if name in stored}
    # Compared by `repr`, because True and 1 are equal.
    return frozenset(
        name for name, stored_value in read.items() if repr(stored_value) != repr(usable(name, stored_value))
    )


def date_set(name: str) -> datetime | None:
    """The time at which an administrator set the setting; None if nobody did."""
    return PreferenceValue.objects.filter(name=name).values_list("date_updated", flat=True).first()


def version() -> int:
    """The version of all settings; 0 before the first change."""
    return PreferenceVersion.objects.values_list("version", flat=True).first() or 0


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of the value of a setting. All fields are empty for a default.

    `variable`: the environment variable that fixes the value. `set_by`, `date_set`: who set it, and when.
    """

    variable: str = ""
    set_by: str = ""
    date_set: datetime | None = None

    @property
    def is_set(self) -> bool:
        return bool(self.variable) or self.date_set is not None


def origins(category: Category | None) -> dict[str, Origin]:
    """The origins of the values of one form, by name."""
    fixed = fixed_values()
    names = [setting.name for setting in of_category(category)]
    rows = {row.name: row for row in PreferenceValue.objects.filter(name__in=names)}
    origin_by_name: dict[str, Origin] = {}
    for name in names:
        row = rows.get(name)
        origin_by_name[name] = Origin(
            variable=REGISTRY[name].variable if name in fixed else "",
            set_by=row.updated_by if row else "",
            date_set=row.date_updated if row else None,
        )
    return origin_by_name


def forget() -> None:
    """Clear the cache of this request, because settings have changed."""
    request_memory.forget(_MEMORY)


def _current(name: str, fixed: Mapping[str, Value | Secret], stored: Mapping[str, Any]) -> Value:
    setting = REGISTRY[name]
    if setting.is_secret:
        return None
    if name in fixed:
        value = fixed[name]
        return None if isinstance(value, Secret) else value
    return usable(name, _read(name, stored[name])) if name in stored else setting.unset()


def _stored() -> Mapping[str, Any]:
    """All stored values, unparsed, because they are few and a request needs few of them."""
    return dict(_rows().stored())


def _read(name: str, stored: Any) -> object:
    value: object = _rows().converted((name, stored))[1]
    return value


@cache
def _rows() -> PreparedQuery:
    return PreparedQuery(PreferenceValue.objects.order_by, columns=("name", "value"))
