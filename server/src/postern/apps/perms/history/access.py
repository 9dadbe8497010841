"""Who could reach a target at an instant in the past, what a person could reach, and through what."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, overload
from uuid import UUID

from postern.apps.perms.history.granting import (
    Family,
    Place,
    Reached,
    Way,
    account_is_valid,
    groups_named,
    in_order,
    named_groups,
    path_of,
    protocols_of,
    stored_protocols_of,
    system_users_of,
    upwards,
    valid_permissions,
)
from postern.apps.perms.history.models import LinkKind, ObjectKind
from postern.apps.perms.history.past import Known, Past, StoredRow
from postern.foundation.database.stored_ids import Stored, stored_ids

#: Places of columns in a stored row.
_NAME: Final = Known._fields.index("name")
_WORD: Final = Known._fields.index("word")
_IS_ACTIVE: Final = Known._fields.index("is_active")


def people_of(past: Past, family: Family, target_id: UUID) -> list[Reached]:
    """The people who could reach the target, in order of their names."""
    target = past.object(family.target, target_id)
    if target is None or target.is_active is False:
        return []
    named = {permission for permission, _target in past.lefts(family.named, [target_id])}
    by_node = _nodes_naming(past, family, target_id)
    permissions = valid_permissions(past, family, named | by_node.keys())
    offered = protocols_of(past, family, {target_id: target}).get(target_id, frozenset())
    usable = {
        key: tuple(system_user for system_user in system_users if system_user.word in offered)
        for key, system_users in system_users_of(past, family, permissions).items()
    }
    usable = {key: some for key, some in usable.items() if some}
    direct = set(past.rights(family.user, usable))
    through = _through_groups(past, family, usable)
    pairs = direct | through.keys()
    people = past.objects(ObjectKind.USER, {user for _permission, user in pairs})
    members = set(past.lefts(LinkKind.USER_IN_ORGANIZATION, _organizations(permissions[key] for key in usable)))
    ways: defaultdict[UUID, list[Way]] = defaultdict(list)
    for key, user in pairs:
        if user not in people or (user, permissions[key].org_id) not in members:
            continue
        ways[user].append(
            Way(
                permission=permissions[key],
                system_users=usable[key],
                names_user=(key, user) in direct,
                user_groups=tuple(sorted(through.get((key, user), ()), key=lambda group: group.name)),
                names_target=key in named,
                nodes=by_node.get(key, ()),
            )
        )
    return _sorted(
        Reached(people[user], in_order(some)) for user, some in ways.items() if account_is_valid(past, people[user])
    )


def _organizations(permissions: Iterable[Known]) -> set[UUID]:
    return {row.org_id for row in permissions if row.org_id is not None}


def _nodes_naming(past: Past, family: Family, target_id: UUID) -> dict[UUID, tuple[Place, ...]]:
    """For each permission on a node above the asset: these nodes."""
    if family.node is None:
        return {}
    nodes = past.with_above(node for _asset, node in past.rights(LinkKind.ASSET_IN_NODE, [target_id]))
    places: defaultdict[UUID, list[Place]] = defaultdict(list)
    for permission, node in past.lefts(family.node, nodes):
        places[permission].append(path_of(node, nodes))
    return {
        permission: tuple(sorted(node_places, key=lambda place: place.name))
        for permission, node_places in places.items()
    }


def _through_groups(
    past: Past, family: Family, permissions: Mapping[UUID, object]
) -> dict[tuple[UUID, UUID], list[Place]]:
    """The groups through which each permission named each person."""
    groups, names = groups_named(past, family, list(permissions))
    members: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for user, group in past.lefts(LinkKind.USER_IN_GROUP, list(names)):
        members[group].append(user)
    groups_by_case: defaultdict[tuple[UUID, UUID], list[Place]] = defaultdict(list)
    for permission, some in groups.items():
        for group in some:
            for user in members[group]:
                groups_by_case[permission, user].append(names[group])
    return dict(groups_by_case)


def _sorted(rows: Iterable[Reached]) -> list[Reached]:
    return sorted(rows, key=lambda row: (row.object.name.casefold(), row.object.word, row.object.id))


@dataclass(frozen=True)
class Reach:
    """What a person could reach, in one organization or (None) in all. Parts are read when they are first needed."""

    past: Past
    family: Family
    user_id: UUID
    org_id: UUID | None

    @cached_property
    def person(self) -> Known | None:
        """The person, if there was an account."""
        return self.past.object(ObjectKind.USER, self.user_id)

    @cached_property
    def _named(self) -> "_Naming":
        """The valid permissions that named the person, and how."""
        if self.person is None or not account_is_valid(self.past, self.person):
            return _Naming()
        past, family = self.past, self.family
        direct = {key for key, _user in past.lefts(family.user, [self.user_id])}
        groups = named_groups(past, [group for _user, group in past.rights(LinkKind.USER_IN_GROUP, [self.user_id])])
        through: defaultdict[UUID, list[Place]] = defaultdict(list)
        for key, group in past.lefts(family.user_group, list(groups)):
            through[key].append(groups[group])
        permissions = valid_permissions(past, family, direct | through.keys())
        members = {org for _user, org in past.rights(LinkKind.USER_IN_ORGANIZATION, [self.user_id])}
        own = members if self.org_id is None else members & {self.org_id}
        permissions = {key: row for key, row in permissions.items() if row.org_id in own}
        return _Naming(permissions, system_users_of(past, family, permissions), direct, through)

    @cached_property
    def _on_nodes(self) -> dict[Stored, set[UUID]]:
        """The permissions on each node."""
        permissions_by_node: defaultdict[Stored, set[UUID]] = defaultdict(set)
        if self.family.node is not None:
            for key, node in self.past.stored_rights(self.family.node, list(self._named.system_users)):
                permissions_by_node[node].add(self.past.ids.of(key))
        return permissions_by_node

    def gives(self, target_id: UUID) -> frozenset[tuple[UUID, int, frozenset[UUID]]]:
        """What the permissions to a target gave, to compare two instants by."""
        named = self._named
        return frozenset(
            (
                key,
                named.permissions[key].actions or 0,
                frozenset(system_user.id for system_user in named.system_users[key]),
            )
            for key in self._granted(target_id)
        )

    def _granted(self, target_id: UUID) -> frozenset[UUID]:
        """The permissions by which a target was reached."""
        [key] = stored_ids([target_id])
        return self._reached[key][1] if key in self._reached else frozenset()

    @cached_property
    def _reached(self) -> dict[Stored, tuple[StoredRow, frozenset[UUID]]]:
        """The targets, and the permissions by which each was reached. Inactive assets were not.

        There may be tens of thousands, so they stay as the database represents them: parsing and hashing ids is slow.
        """
        permission_keys = self._named_or_below()
        rows = self.past.stored_objects(self.family.target, permission_keys)
        targets = {key: row for key, row in rows.items() if row[_IS_ACTIVE] is not False}
        words = {key: row[_WORD] for key, row in targets.items()}
        protocols = stored_protocols_of(self.past, self.family, words)
        speak = {
            key: {system_user.word for system_user in system_users}
            for key, system_users in self._named.system_users.items()
        }
        # Most targets share the permissions that reach them, and the protocols that they offer.
        usable: dict[tuple[frozenset[UUID], frozenset[str]], frozenset[UUID]] = {}
        reached = {}
        for target, row in targets.items():
            case = (permission_keys[target], protocols.get(target, frozenset()))
            keys = usable.get(case)
            if keys is None:
                keys = usable[case] = frozenset(key for key in case[0] if speak[key] & case[1])
            if keys:
                reached[target] = row, keys
        return reached

    def _named_or_below(self) -> dict[Stored, frozenset[UUID]]:
        """The permissions that named each target or a node above it."""
        named = list(self._named.system_users)
        permissions_by_target: dict[Stored, frozenset[UUID]] = {}
        parsed = self.past.ids.of
        for key, target in self.past.stored_rights(self.family.named, named):
            permissions_by_target[target] = permissions_by_target.get(target, frozenset()) | {parsed(key)}
        below = self._below() if self._on_nodes else {}
        for asset, node in self.past.lefts_of_stored(LinkKind.ASSET_IN_NODE, below):
            keys, held = below[node], permissions_by_target.get(asset)
            permissions_by_target[asset] = keys if held is None or held is keys else held | keys
        return permissions_by_target

    def _below(self) -> dict[Stored, frozenset[UUID]]:
        """The permissions that reached each node from it or from above."""
        parents = self.past.stored_parents(_organizations(self._named.permissions.values()))
        permissions_by_node: dict[Stored | None, frozenset[UUID]] = {None: frozenset()}
        for node in parents:
            fresh, step = [], node
            while step not in permissions_by_node:
                fresh.append(step)
                step = parents.get(step)
            for step in reversed(fresh):
                own = self._on_nodes.get(step)
                above = permissions_by_node[parents[step]]
                permissions_by_node[step] = above | own if own else above
        return {node: keys for node, keys in permissions_by_node.items() if node is not None and keys}

    def targets(self) -> "Targets":
        """The targets in order of their names."""
        rows = [row for row, _keys in self._reached.values()]
        return Targets(self.past, sorted(rows, key=lambda row: (row[_NAME].casefold(), row[0])))

    def with_ways(self, targets: Iterable[Known]) -> list[Reached]:
        """These targets with the ways to them."""
        named, rows = self._named, list(targets)
        keys = [row.id for row in rows]
        protocols = protocols_of(self.past, self.family, {row.id: row for row in rows})
        direct = set(self.past.rights(self.family.named, list(named.system_users)))
        standing: defaultdict[UUID, list[UUID]] = defaultdict(list)
        for asset, node in self.past.rights(LinkKind.ASSET_IN_NODE, keys) if self._on_nodes else ():
            standing[asset].append(node)
        places = self.past.with_above(node for nodes in standing.values() for node in nodes)
        on_nodes = {self.past.ids.of(node): some for node, some in self._on_nodes.items()}
        reached = []
        for row in rows:
            above = {step for node in standing[row.id] for step in upwards(node, places)}
            ways = [
                Way(
                    permission=named.permissions[key],
                    system_users=tuple(
                        system_user
                        for system_user in named.system_users[key]
                        if system_user.word in protocols.get(row.id, ())
                    ),
                    names_user=key in named.direct,
                    user_groups=tuple(sorted(named.through.get(key, ()), key=lambda group: group.name)),
                    names_target=(key, row.id) in direct,
                    nodes=tuple(
                        sorted(
                            (path_of(node, places) for node in above if key in on_nodes.get(node, ())),
                            key=lambda place: place.name,
                        )
                    ),
                )
                for key in self._granted(row.id)
            ]
            reached.append(Reached(row, in_order(ways)))
        return reached


class Targets(Sequence[Known]):
    """Targets that become objects when they are looked at: of tens of thousands a page shows fifteen."""

    def __init__(self, past: Past, rows: Sequence[StoredRow]) -> None:
        self._past, self._rows = past, rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Known: ...

    @overload
    def __getitem__(self, place: slice) -> list[Known]: ...

    def __getitem__(self, place: int | slice) -> Known | list[Known]:
        if isinstance(place, slice):
            return [self._past.known(row) for row in self._rows[place]]
        return self._past.known(self._rows[place])


@dataclass(frozen=True, slots=True)
class _Naming:
    permissions: Mapping[UUID, Known] = field(default_factory=dict)
    system_users: Mapping[UUID, list[Known]] = field(default_factory=dict)
    direct: AbstractSet[UUID] = frozenset()
    through: Mapping[UUID, list[Place]] = field(default_factory=dict)
