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
    then = {person.object.id: person for person in people_of(before, family, target_id)}
    later = {person.object.id: person for person in people_of(after, family, target_id)}
    differences = []
    for key in then.keys() | later.keys():
        earlier, current = then.get(key), later.get(key)
        if earlier is not None and current is not None and _gives(earlier) == _gives(current):
            continue
        differences.append(_difference(earlier, current))
    return _sorted(differences)


def _gives(reached: Reached) -> frozenset[object]:
    return frozenset(way.gives for way in reached.ways)


def targets_between(before: Reach, after: Reach) -> list[tuple[Known, Change]]:
    """The targets that a person gained, lost, or reached otherwise, in order of their names."""
    then, later = _by_id(before.targets()), _by_id(after.targets())
    changes = []
    for key in then.keys() | later.keys():
        if key not in then:
            changes.append((later[key], Change.GAINED))
        elif key not in later:
            changes.append((then[key], Change.LOST))
        elif before.gives(key) != after.gives(key):
            changes.append((later[key], Change.CHANGED))
    return sorted(changes, key=lambda change: (change[0].name.casefold(), change[0].id))


def with_both_ways(before: Reach, after: Reach, page: Iterable[tuple[Known, Change]]) -> list[Difference]:
    """These targets with the ways at both instants."""
    rows = list(page)
    then = {
        target.object.id: target
        for target in before.with_ways(row for row, change in rows if change is not Change.GAINED)
    }
    later = {
        target.object.id: target for target in after.with_ways(row for row, change in rows if change is not Change.LOST)
    }
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


def _sorted(differences: Iterable[Difference]) -> list[Difference]:
    return sorted(
        differences,
        key=lambda difference: (difference.object.name.casefold(), difference.object.word, difference.object.id),
    )
