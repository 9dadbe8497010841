"""Kinds of the catalogue by their stored code, and by category."""

from functools import cache

from postern.apps.audits.catalogue import Event
from postern.apps.audits.categories import Category


def kind_of(code: str) -> Event:
    """The kind with this code. Raises ValueError for an unknown code."""
    kind = find(code)
    if kind is None:
        raise ValueError(f"{code!r} is not in the catalogue of audit events")
    return kind


def find(code: str) -> Event | None:
    """The kind with this code; None for a code of a newer version."""
    return _by_code().get(code)


def words_of(code: str) -> str:
    """The words of a stored code; the code itself for a kind of a newer version."""
    kind = find(code)
    return kind.words if kind else code


@cache
def in_category(category: Category) -> tuple[Event, ...]:
    """All kinds of a category."""
    return tuple(event for event in Event if event.category is category)


@cache
def _by_code() -> dict[str, Event]:
    return {event.value: event for event in Event}
