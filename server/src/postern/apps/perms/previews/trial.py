"""What a write does to the access of people, measured on the tables before it and after it, in its transaction.

For writes that a preview does not predict (`plans`). The two states are compared as those of a preview are.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final
from uuid import UUID

from pyroaring import BitMap

from postern.apps.assets.models import Asset, TreeVersion
from postern.apps.perms.index import kept
from postern.apps.perms.index.reading import read_world
from postern.apps.perms.index.world import World
from postern.apps.perms.previews import stored
from postern.apps.perms.previews.changes import Changes
from postern.apps.perms.previews.difference import Difference, Grant, difference, grant_of
from postern.apps.perms.previews.targets import AssetTargets
from postern.foundation.database.stored_ids import Stored, stored_ids

#: Permissions that people hold, directly or through a group.
_Holding = Mapping[UUID, frozenset[Stored]]
#: People of one query.
_AT_ONCE: Final = 10_000
#: The order in which assets are listed.
_BY_NAME: Final = "hostname"


@dataclass(frozen=True, slots=True)
class Measured:
    """The difference, whose assets are numbers of the organization (`Asset.dense_id`)."""

    found: Difference
    world: World

    def names(self, numbers: BitMap, most: int) -> list[tuple[int, str]]:
        """The first assets in order of their hostnames, as (number, hostname)."""
        first = self.world.orders[_BY_NAME].page(numbers, 0, most)
        rows = Asset.objects.filter(org_id=self.world.org_id, dense_id__in=first).order_by()
        hostnames = dict(rows.values_list("dense_id", "hostname"))
        return [(number, hostnames[number]) for number in first]


class AccessTrial:
    """Measures before the write (when it is made) and after it (`measured`).

    `people`: everybody whose access may change. `permissions`: the asset permissions that the write changes or deletes.
    The write must not move assets, or nodes that hold any.
    """

    def __init__(self, org_id: UUID, at: datetime, *, people: Collection[UUID], permissions: Collection[UUID]) -> None:
        self._org_id, self._at, self._people = org_id, at, list(people)
        self._touched = set(stored_ids(permissions))
        self._held = self._holding()
        self._grants = self._granted(self._touched) if self._people else {}

    def measured(self) -> Measured:
        """The difference to now. Call it after the write, in the same transaction."""
        holds = self._holding()
        nothing: frozenset[Stored] = frozenset()
        needed: set[Stored] = set()
        for person in self._held.keys() | holds.keys():
            had, has = self._held.get(person, nothing), holds.get(person, nothing)
            if had != has or self._touched & (had | has):
                needed |= had | has
        after = self._granted(needed) if needed else {}
        for key, grant in self._grants.items():
            if key in after and after[key].reaches == grant.reaches:
                after[key] = grant
        before = {**{key: grant for key, grant in after.items() if key not in self._touched}, **self._grants}
        return Measured(difference(_grants_of(self._held, before), _grants_of(holds, after)), self._world)

    def _holding(self) -> _Holding:
        permissions_by_person: dict[UUID, frozenset[Stored]] = {}
        for first in range(0, len(self._people), _AT_ONCE):
            people = self._people[first : first + _AT_ONCE]
            groups_of = stored.groups_of(self._org_id, people)
            groups = {group for some in groups_of.values() for group in some}
            named = stored.naming_people(stored.ASSETS, self._org_id, people, groups)
            for person in stored.standing(self._org_id, people, self._at, {}):
                by_group = (named.by_group.get(group, ()) for group in groups_of.get(person, ()))
                permissions_by_person[person] = frozenset(named.by_user.get(person, ())).union(*by_group)
        return permissions_by_person

    def _granted(self, permissions: Collection[Stored]) -> dict[Stored, Grant]:
        targets = AssetTargets(self._org_id, Changes(), {self._org_id: self._world})
        reached = targets.unchanged(permissions, self._at, None)
        return {key: grant_of(reaches, None) for key, reaches in reached.items()}

    @cached_property
    def _world(self) -> World:
        """The assets before the write, read only if anybody's grants have to be known."""
        seq = TreeVersion.objects.values_list("seq", flat=True).get(org_id=self._org_id)
        return kept.at_version(self._org_id, seq) or read_world(self._org_id, seq)


def _grants_of(holding: _Holding, grants: Mapping[Stored, Grant]) -> dict[UUID, frozenset[Grant]]:
    return {person: frozenset(grants[key] for key in keys if key in grants) for person, keys in holding.items()}
