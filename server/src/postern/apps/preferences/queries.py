"""Reads of settings. One query per request, so that a change takes effect with the next request in every process."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from postern.apps.preferences.models import PreferenceValue
from postern.apps.preferences.registry import REGISTRY, Value
from postern.foundation.database.prepared import PreparedQuery
from postern.foundation.requests import request_memory

_MEMORY: Final = "preferences"


def value(name: str) -> Value:
    """The current value of one setting. Raises KeyError for a name that the registry does not contain."""
    return values((name,))[name]


def values(names: Iterable[str]) -> dict[str, Value]:
    """The current values of several settings, in the order of `names`."""
    wanted = tuple(names)
    if not wanted:
        return {}
    stored = request_memory.kept(_MEMORY, _stored)
    return {name: _read(name, stored[name]) if name in stored else REGISTRY[name].unset() for name in wanted}


def is_set(name: str) -> bool:
    """Whether an administrator has set the setting."""
    return name in request_memory.kept(_MEMORY, _stored)


def forget() -> None:
    """Clear the cache of this request, because settings have changed."""
    request_memory.forget(_MEMORY)


def _stored() -> Mapping[str, Any]:
    """All stored values, unparsed: they are few, and most are not requested."""
    return dict(_rows().stored())


def _read(name: str, stored: Any) -> Value:
    found: Value = _rows().converted((name, stored))[1]
    return found


@cache
def _rows() -> PreparedQuery:
    return PreparedQuery(PreferenceValue.objects.order_by, columns=("name", "value"))
