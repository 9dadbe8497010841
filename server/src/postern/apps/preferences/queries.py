"""Reads of settings. One query each time, so that a change takes effect at once in every process."""

from collections.abc import Iterable
from functools import cache

from postern.apps.preferences.models import PreferenceValue
from postern.apps.preferences.registry import REGISTRY, Value
from postern.foundation.prepared import PreparedQuery


def value(name: str) -> Value:
    """The value in force of one setting; KeyError for a name that the registry does not know."""
    return values((name,))[name]


def values(names: Iterable[str]) -> dict[str, Value]:
    """The values in force of several settings, in the order of `names`."""
    wanted = tuple(names)
    stored = dict(_stored(wanted).tuples()) if wanted else {}
    return {name: stored.get(name, REGISTRY[name].default) for name in wanted}


@cache
def _stored(names: tuple[str, ...]) -> PreparedQuery:
    """The stored values of these settings: every request asks for some, always the same few."""
    return PreparedQuery(lambda: PreferenceValue.objects.filter(name__in=names), columns=("name", "value"))
