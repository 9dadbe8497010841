"""Reads of settings. One query each time, so that a change takes effect at once in every process."""

from collections.abc import Iterable

from postern.apps.preferences.models import PreferenceValue
from postern.apps.preferences.registry import REGISTRY, Value


def value(name: str) -> Value:
    """The value in force of one setting; KeyError for a name that the registry does not know."""
    return values((name,))[name]


def values(names: Iterable[str]) -> dict[str, Value]:
    """The values in force of several settings, in the order of `names`."""
    wanted = list(names)
    stored = dict(PreferenceValue.objects.filter(name__in=wanted).values_list("name", "value"))
    return {name: stored.get(name, REGISTRY[name].default) for name in wanted}
