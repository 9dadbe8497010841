"""What two instants differ in: who gained, lost or got other access."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from postern.apps.perms.history.access import Reach, people_of
from postern.apps.perms.history.granting import Family, Reached
from postern.apps.perms.history.past import Known, Past


class Change(StrEnum):
    """Stable: part of the API."""

    GAINED = "gained"
    LOST = "lost"
    CHANGED = "changed"  # by other permissions, with other actions, or as other system users


class Difference(NamedTuple):
    """A person or target whose access differs, as it was before and after; no ways: no access."""

    object: Known
    change: Change
    before: Reached
    after: Reached


def people_between(before: Past, after: Past, family: Family, target_id: UUID) -> list[Difference]:
    """The people whose access to the target differs, in order of their names."""
    then = {one.object.id: one for one in people_of(before, family, target_id)}
    later = {one.object.id: one for one in people_of(after, family, target_id)}
    found = []
    for key in then.keys() | later.keys():
        one, other = then.get(key), later.get(key)
        if one is not None and other is not None and _gives(one) == _gives(other):
            continue
        found.append(_difference(one, other))
    return _sorted(found)


def _gives(one: Reached) -> frozenset[object]:
    return frozenset(way.gives for way in one.ways)


def targets_between(before: Reach, after: Reach) -> list[tuple[Known, Change]]:
    """The targets that a person gained, lost, or reached otherwise, in order of their names."""
    then, later = _by_id(before.targets()), _by_id(after.targets())
    found = []
    for key in then.keys() | later.keys():
        if key not in then:
            found.append((later[key], Change.GAINED))
        elif key not in later:
            found.append((then[key], Change.LOST))
        elif before.gives(key) != after.gives(key):
            found.append((later[key], Change.CHANGED))
    return sorted(found, key=lambda one: (one[0].name.casefold(), one[0].id))


def with_both_ways(before: Reach, after: Reach, page: Iterable[tuple[Known, Change]]) -> list[Difference]:
    """These targets with the ways at both instants."""
    rows = list(page)
    then = {one.object.id: one for one in before.with_ways(row for row, change in rows if change is not Change.GAINED)}
    later = {one.object.id: one for one in after.with_ways(row for row, change in rows if change is not Change.LOST)}
    return [_difference(then.get(row.id), later.get(row.id)) for row, _change in rows]


def _by_id(rows: Iterable[Known]) -> Mapping[UUID, Known]:
    return {row.id: row for row in rows}


def _difference(before: Reached | None, after: Reached | None) -> Difference:
    if after is None:
        if before is None:
            raise ValueError("neither before nor after")
        return Difference(before.object, Change.LOST, before, Reached(before.object, ()))
    if before is None:
        return Difference(after.object, Change.GAINED, Reached(after.object, ()), after)
    return Difference(after.object, Change.CHANGED, before, after)


def _sorted(found: Iterable[Difference]) -> list[Difference]:
    return sorted(found, key=lambda one: (one.object.name.casefold(), one.object.word, one.object.id))
