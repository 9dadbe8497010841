"""Computes what changes of access do, from the grants in the tables and the index of assets. Writes nothing.

Only the permissions that the change may concern, the people whom they name, and what else these people hold are read.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.utils.translation import gettext as _
from pyroaring import BitMap

from postern.apps.assets.models import TreeVersion
from postern.apps.perms.index import kept
from postern.apps.perms.index.reading import read_world
from postern.apps.perms.index.world import World
from postern.apps.perms.previews import stored
from postern.apps.perms.previews.changes import Changes, Permission
from postern.apps.perms.previews.difference import Difference, Grant, difference, grant_of
from postern.apps.perms.previews.targets import ApplicationTargets, AssetTargets, Targets
from postern.foundation.database.snapshot import snapshot
from postern.foundation.database.stored_ids import Stored, stored_ids
from postern.kernel.errors import PosternError

#: A change that concerns more people is not computed: the cost grows with them.
MAX_PEOPLE: Final = 20_000


class TooManyPeople(PosternError):
    """The change concerns more people than a preview compares."""

    code = "preview_too_large"


@dataclass(frozen=True, slots=True)
class OrgPreview:
    """What the changes do in one organization. `world` numbers the assets, `applications` the applications."""

    org_id: UUID
    world: World
    assets: Difference
    applications: Difference
    numbers: Mapping[UUID, int]


def preview(changes: Changes, org_ids: Iterable[UUID], at: datetime) -> list[OrgPreview]:
    """What the changes do at the instant `at`, in each of these organizations. Everything is read at one instant.

    Raises `TooManyPeople`, and `MovedBelowItself` for moves that contradict each other.
    """
    orgs = sorted(org_ids)
    if not kept.can_be_used():  # what this transaction sees must not enter the index
        versions = TreeVersion.objects.filter(org_id__in=orgs).order_by().values_list("org_id", "seq")
        return _computed(changes, orgs, at, {org_id: read_world(org_id, seq) for org_id, seq in versions})
    for is_last in (False, False, True):
        with suppress(kept.WentOn), snapshot():
            return _computed(changes, orgs, at, kept.worlds_of(orgs, alone=is_last))
    raise AssertionError("the last turn has its own worlds")


def _computed(changes: Changes, orgs: list[UUID], at: datetime, worlds: Mapping[UUID, World]) -> list[OrgPreview]:
    previews = []
    for org_id in orgs:
        assets, applications = AssetTargets(org_id, changes, worlds), ApplicationTargets()
        previews.append(
            OrgPreview(
                org_id=org_id,
                world=assets.after,
                assets=_Comparison(org_id, changes, at, assets, changes.asset_permissions).done(),
                applications=_Comparison(org_id, changes, at, applications, changes.application_permissions).done(),
                numbers=applications.numbers,
            )
        )
    return previews


@dataclass(frozen=True, slots=True)
class _Side:
    """One side: the permissions that differ, what they grant, the groups of people, and who may use anything at all."""

    permissions: Mapping[UUID, Permission]
    grants: Mapping[UUID, Grant]
    groups_of: Mapping[UUID, set[UUID]]
    standing: set[UUID]


class _Comparison:
    """The two sides of one kind of permissions in one organization."""

    def __init__(
        self,
        org_id: UUID,
        changes: Changes,
        at: datetime,
        targets: Targets,
        changed: Mapping[UUID, Permission | None],
    ) -> None:
        self._org_id, self._changes, self._at, self._targets = org_id, changes, at, targets
        self._changed = changed
        self._members = changes.members

    def done(self) -> Difference:
        """Read what the changes may concern, and compare."""
        kind = self._targets.kind
        touched = self._targets.touched() | self._changed.keys()
        before = stored.permissions(kind, touched, org_id=self._org_id)
        after = {key: permission for key, permission in {**before, **self._changed}.items() if permission is not None}
        after = {key: permission for key, permission in after.items() if permission.org_id == self._org_id}
        before = {key: permission for key, permission in before.items() if permission.holds(self._at)}
        after = {key: permission for key, permission in after.items() if permission.holds(self._at)}
        members_before = stored.members_of(self._org_id, self._groups(before, after) | self._members.keys())
        members_after = {**members_before, **{g: m for g, m in self._members.items() if g in members_before}}
        people = self._people(before, after, members_before, members_after)
        if len(people) > MAX_PEOPLE:
            raise TooManyPeople(
                _("This change concerns more than %(most)d people. Preview a smaller part of it.")
                % {"most": MAX_PEOPLE}
            )
        groups_before = stored.groups_of(self._org_id, people)
        groups_after = self._groups_after(people, groups_before)
        every_group = {group for groups in (*groups_before.values(), *groups_after.values()) for group in groups}
        named = stored.naming_people(kind, self._org_id, people, every_group)
        self._targets.prepare([*before.values(), *after.values()])
        old, new, limit = self._grants(before, after)
        others = named.permission_ids.difference(stored_ids(touched))
        reached = self._targets.unchanged(others, self._at, limit)
        same = {key: grant_of(reaches, None) for key, reaches in reached.items()}
        stand = stored.standing(self._org_id, people, self._at, {})
        will_stand = stand
        if self._changes.people:
            newcomers = {person for person in self._changes.new_people.keys() & people if self._changes.people[person]}
            will_stand = stored.standing(self._org_id, people, self._at, self._changes.people) | newcomers
        return difference(
            _held(_Side(before, old, groups_before, stand), named, same),
            _held(_Side(after, new, groups_after, will_stand), named, same),
        )

    def _groups(self, *sides: Mapping[UUID, Permission]) -> set[UUID]:
        return {group for side in sides for permissions in side.values() for group in permissions.user_groups}

    def _people(
        self,
        before: Mapping[UUID, Permission],
        after: Mapping[UUID, Permission],
        members_before: Mapping[UUID, frozenset[UUID]],
        members_after: Mapping[UUID, frozenset[UUID]],
    ) -> set[UUID]:
        """Everybody for whom something may change."""
        people = set(self._changes.people)
        for side, members in ((before, members_before), (after, members_after)):
            for permission in side.values():
                people.update(
                    permission.users, *(members[group] for group in permission.user_groups if group in members)
                )
        for group in self._members.keys() & members_before.keys():
            people |= members_before[group] ^ members_after[group]
        return people

    def _groups_after(self, people: set[UUID], before: Mapping[UUID, set[UUID]]) -> dict[UUID, set[UUID]]:
        if not self._members:
            return dict(before)
        after: dict[UUID, set[UUID]] = {person: set(before.get(person, ())) for person in people}
        for group, members in self._members.items():
            for person in people:
                (after[person].add if person in members else after[person].discard)(group)
        return after

    def _grants(
        self, before: Mapping[UUID, Permission], after: Mapping[UUID, Permission]
    ) -> tuple[dict[UUID, Grant], dict[UUID, Grant], BitMap | None]:
        """The grants of the permissions that differ, on both sides, and the only targets for which anything may change."""
        old = {key: self._targets.reaches(permission, after=False) for key, permission in before.items()}
        new = {key: self._targets.reaches(permission, after=True) for key, permission in after.items()}
        limit = None
        if not self._members and not self._changes.people:
            limit = BitMap()
            for key in old.keys() | new.keys():
                limit |= _touched(before.get(key), after.get(key), old.get(key, {}), new.get(key, {}))
        old_grants = {key: grant_of(reaches, limit) for key, reaches in old.items()}
        new_grants = {key: grant_of(reaches, limit) for key, reaches in new.items()}
        for key, grant in old_grants.items():
            if key in new_grants and new_grants[key].reaches == grant.reaches:
                new_grants[key] = grant
        return old_grants, new_grants, limit


def _touched(
    before: Permission | None,
    after: Permission | None,
    old: Mapping[UUID, BitMap],
    new: Mapping[UUID, BitMap],
) -> BitMap:
    """The targets for which the permission may make a difference."""
    if before is None or after is None or (before.users, before.user_groups) != (after.users, after.user_groups):
        return BitMap.union(BitMap(), *old.values(), *new.values())
    parts = [old.get(key, BitMap()) ^ new.get(key, BitMap()) for key in old.keys() | new.keys()]
    return BitMap.union(BitMap(), *parts)


def _held(side: "_Side", named: stored.Named, same: Mapping[Stored, Grant]) -> dict[UUID, frozenset[Grant]]:
    """The grants that each of the people holds, by name or through a group."""
    by_user = {person: {same[key] for key in keys if key in same} for person, keys in named.by_user.items()}
    by_group = {group: {same[key] for key in keys if key in same} for group, keys in named.by_group.items()}
    for key, permission in side.permissions.items():
        grant = side.grants[key]
        if grant.everything:
            for user in permission.users:
                by_user.setdefault(user, set()).add(grant)
            for group in permission.user_groups:
                by_group.setdefault(group, set()).add(grant)
    nothing: set[Grant] = set()
    return {
        person: frozenset(
            by_user.get(person, nothing).union(
                *(by_group.get(group, nothing) for group in side.groups_of.get(person, ()))
            )
        )
        for person in side.standing
    }
