"""What permissions granted at an instant in the past: the parts that both questions need (`access`).

The rule is that of `decisions.decision`, applied to the facts of that instant. Licences are not recorded: an
application that needs a licence counts as reachable.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from postern.apps.applications.facade import DECLARATIONS
from postern.apps.perms.history.models import LinkKind, ObjectKind
from postern.apps.perms.history.past import Known, Past
from postern.contracts.enums import Actions
from postern.foundation.database.stored_ids import Stored, stored_ids

Ids = Collection[UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The kinds of one sort of permission. Only assets are in nodes."""

    target: ObjectKind
    permission: ObjectKind
    user: LinkKind
    user_group: LinkKind
    named: LinkKind
    system_user: LinkKind
    node: LinkKind | None = None


ASSETS: Final = Family(
    target=ObjectKind.ASSET,
    permission=ObjectKind.ASSET_PERMISSION,
    user=LinkKind.PERMISSION_USER,
    user_group=LinkKind.PERMISSION_USER_GROUP,
    named=LinkKind.PERMISSION_ASSET,
    system_user=LinkKind.PERMISSION_SYSTEM_USER,
    node=LinkKind.PERMISSION_NODE,
)
APPLICATIONS: Final = Family(
    target=ObjectKind.APPLICATION,
    permission=ObjectKind.APPLICATION_PERMISSION,
    user=LinkKind.APPLICATION_PERMISSION_USER,
    user_group=LinkKind.APPLICATION_PERMISSION_USER_GROUP,
    named=LinkKind.APPLICATION_PERMISSION_APPLICATION,
    system_user=LinkKind.APPLICATION_PERMISSION_SYSTEM_USER,
)


class Place(NamedTuple):
    """A user group by its name, or a node by its whole path."""

    id: UUID
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A permission that gave the access: how it named the person and the target, and what it gave."""

    permission: Known
    system_users: tuple[Known, ...]
    names_user: bool
    user_groups: tuple[Place, ...]
    names_target: bool
    nodes: tuple[Place, ...]

    @property
    def actions(self) -> int:
        """Bits of `Actions`. Application permissions have none of their own and give all."""
        return Actions.ALL.value if self.permission.actions is None else self.permission.actions

    @property
    def gives(self) -> tuple[UUID, int, frozenset[UUID]]:
        """What a comparison of two instants looks at: the permission, its actions and its system users."""
        return self.permission.id, self.actions, frozenset(system_user.id for system_user in self.system_users)


@dataclass(frozen=True, slots=True)
class Reached:
    """A person or target with the ways of the access, in order of the names of the permissions."""

    object: Known
    ways: tuple[Way, ...]


def account_is_valid(past: Past, person: Known) -> bool:
    """Whether the account was active and had not ended."""
    return bool(person.is_active) and (person.date_expired is None or person.date_expired > past.at)


def valid_permissions(past: Past, family: Family, ids: Ids) -> dict[UUID, Known]:
    """Those of the permissions that were active, within their dates, and included connect."""
    return {key: row for key, row in past.objects(family.permission, ids).items() if _holds(past, row)}


def _holds(past: Past, row: Known) -> bool:
    if not row.is_active or row.date_start is None or row.date_expired is None:
        return False
    connects = row.actions is None or bool(row.actions & Actions.CONNECT)
    return connects and row.date_start <= past.at < row.date_expired


def system_users_of(past: Past, family: Family, permissions: Ids) -> dict[UUID, list[Known]]:
    """The system users of each permission, in order of their names."""
    pairs = past.rights(family.system_user, permissions)
    known = past.objects(ObjectKind.SYSTEM_USER, {system_user for _permission, system_user in pairs})
    by_permission: defaultdict[UUID, list[Known]] = defaultdict(list)
    for permission, system_user in pairs:
        if system_user in known:
            by_permission[permission].append(known[system_user])
    return {
        permission: sorted(system_users, key=lambda system_user: (system_user.name, system_user.id))
        for permission, system_users in by_permission.items()
    }


def protocols_of(past: Past, family: Family, targets: Mapping[UUID, Known]) -> Mapping[UUID, frozenset[str]]:
    """The protocols of each target: the protocols that the asset offered, or the protocol of the application's type."""
    words = {key: row.word for key, row in zip(stored_ids(targets), targets.values(), strict=True)}
    return {past.ids.of(key): protocols for key, protocols in stored_protocols_of(past, family, words).items()}


def stored_protocols_of(past: Past, family: Family, targets: Mapping[Stored, str]) -> Mapping[Stored, frozenset[str]]:
    """As `protocols_of`, of targets with their words, and with ids as the database represents them."""
    if family.target is ObjectKind.ASSET:
        return past.stored_words(LinkKind.ASSET_PROTOCOL, targets)
    return {
        key: frozenset({DECLARATIONS[word].protocol.value}) for key, word in targets.items() if word in DECLARATIONS
    }


def groups_named(past: Past, family: Family, permissions: Ids) -> tuple[dict[UUID, list[UUID]], dict[UUID, Place]]:
    """The groups of each permission, and their names."""
    groups_by_permission: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for permission, group in past.rights(family.user_group, permissions):
        groups_by_permission[permission].append(group)
    return groups_by_permission, named_groups(
        past, {group for groups in groups_by_permission.values() for group in groups}
    )


def named_groups(past: Past, ids: Ids) -> dict[UUID, Place]:
    """The groups with their names."""
    return {key: Place(key, row.name) for key, row in past.objects(ObjectKind.USER_GROUP, ids).items()}


def path_of(node_id: UUID, nodes: Mapping[UUID, Known]) -> Place:
    """The node with its path, as `Node.full_value`."""
    return Place(node_id, "".join(f"/{nodes[step].name}" for step in reversed(list(upwards(node_id, nodes)))))


def upwards(node_id: UUID | None, nodes: Mapping[UUID, Known]) -> Iterable[UUID]:
    """The node and those above it."""
    while node_id is not None and node_id in nodes:
        yield node_id
        node_id = nodes[node_id].parent_id


def in_order(ways: Iterable[Way]) -> tuple[Way, ...]:
    """By the names of the permissions."""
    return tuple(sorted(ways, key=lambda way: (way.permission.name, way.permission.id)))
