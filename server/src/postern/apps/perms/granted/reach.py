"""Reachable assets: lists, counts and trees, computed from the permission tables in a few steps.

The first query reads the valid permissions. Each further step reads the objects below, by the ids of the step before;
one big join was slower at the measured sizes. An asset is reachable when a permission gives a system user, with a
protocol that the asset offers, and the action connect. This matches `decision.evaluate`: an asset is reachable exactly
when the decision for some system user is allow.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from pyroaring import BitMap

from postern.apps.assets.models import Asset, AssetNode, AssetProtocol, Node, NodePath
from postern.apps.perms.decisions.decision import possible_actions
from postern.apps.perms.decisions.naming import permissions_naming_user
from postern.apps.perms.granted.indexed import IndexedReach, Part
from postern.apps.perms.grants.models import PermissionAsset, PermissionNode, PermissionSystemUser, PermissionUserGroup
from postern.apps.perms.index import kept
from postern.apps.perms.index.world import World
from postern.apps.users.models import Membership, User
from postern.contracts.enums import Actions, Protocol
from postern.foundation.database.prepared import PreparedQuery
from postern.foundation.database.snapshot import snapshot

Ids = QuerySet[Any, Any]


@dataclass(frozen=True, slots=True)
class Who:
    """A user or a user group; exactly one is set. `org_id` limits to one organization (None: all)."""

    user_id: UUID | None = None
    group_id: UUID | None = None
    org_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Usable:
    """A system user, with the actions permitted with it on one asset."""

    id: UUID
    name: str
    username: str
    protocol: Protocol
    login_mode: str
    priority: int
    sftp_root: str
    username_same_with_user: bool
    actions: Actions

    @property
    def manual(self) -> bool:
        return self.login_mode == "manual"


class Reach:
    """The grants of a user or group that are valid at one instant; with `system_user`, only those that name it. Loads
    with one query, and a second query for a system user.

    `indexed` is set by `load_reach`, unless the reader is inside a transaction.
    """

    indexed: IndexedReach | None = None
    #: Protocol → the permissions that name a system user with this protocol.
    by_protocol: dict[str, set[UUID]]

    def __init__(
        self, who: Who, at: datetime, protocol: Protocol | None = None, *, system_user: UUID | None = None
    ) -> None:
        self.by_protocol = defaultdict(set)
        self._org_ids: set[UUID] = set()
        for permission_id, spoken, org_id in _grants(who, at, protocol):
            self.by_protocol[spoken].add(permission_id)
            self._org_ids.add(org_id)
        if system_user is not None:
            self.by_protocol = self._naming(system_user)
        self._nodes: dict[UUID, set[UUID]] | None = None

    def _naming(self, system_user: UUID) -> dict[str, set[UUID]]:
        """The grants that name the system user, under its protocol."""
        permission_ids: dict[str, set[UUID]] = defaultdict(set)
        rows = PermissionSystemUser.objects.filter(
            systemuser_id=system_user, assetpermission_id__in=self.permission_ids
        ).values_list("systemuser__protocol", "assetpermission_id")
        for spoken, permission_id in rows:
            if permission_id in self.by_protocol.get(spoken, ()):
                permission_ids[spoken].add(permission_id)
        return permission_ids

    @property
    def permission_ids(self) -> set[UUID]:
        return set().union(*self.by_protocol.values()) if self.by_protocol else set()

    def assets(self, *, include_inactive: bool = False) -> QuerySet[Asset]:
        """The reachable assets, composed from the permissions. The cost grows with their number."""
        rows: QuerySet[Asset] = Asset.objects.filter(pk__in=self._asset_ids())
        return rows if include_inactive else rows.filter(is_active=True)

    def among(self, rows: QuerySet[Asset]) -> QuerySet[Asset]:
        """The reachable rows of `rows`.

        Each row is checked, so the cost grows with the rows and not with the number of reachable assets.
        """
        condition = Q(pk__in=())
        for protocol, ids in self.by_protocol.items():
            offers = Exists(AssetProtocol.objects.filter(asset_id=OuterRef("pk"), name=protocol))
            named = Q(Exists(PermissionAsset.objects.filter(asset_id=OuterRef("pk"), assetpermission_id__in=ids)))
            nodes = self.nodes_of(ids)
            if nodes:
                # Nested subqueries: with a join, SQLite might start at the node, which may contain all assets.
                below = NodePath.objects.filter(descendant_id=OuterRef("node_id"), ancestor_id__in=nodes)
                named = Exists(AssetNode.objects.filter(Exists(below), asset_id=OuterRef("pk"))) | named
            condition |= Q(offers) & named
        return rows.filter(condition)

    def is_wider_than(self, number: int) -> bool:
        """Whether one protocol and kind of grant alone makes more assets reachable.

        Reads at most `number` + 1 of each.
        """
        for protocol, ids in self.by_protocol.items():
            offers = Exists(AssetProtocol.objects.filter(asset_id=OuterRef("asset_id"), name=protocol))
            placed = AssetNode.objects.filter(node__paths_up__ancestor_id__in=self.nodes_of(ids))
            direct = PermissionAsset.objects.filter(assetpermission_id__in=ids)
            for rows in (placed, direct):
                offering = rows.filter(offers).values("asset_id")
                if offering.distinct()[: number + 1].count() > number:
                    return True
        return False

    def directly_granted(self) -> QuerySet[Asset]:
        """The assets that a permission names directly."""
        parts = [
            _offering(protocol, PermissionAsset.objects.filter(assetpermission_id__in=ids).values("asset_id"))
            for protocol, ids in self.by_protocol.items()
        ]
        return Asset.objects.filter(pk__in=_union(parts)) if parts else Asset.objects.none()

    def usable(self, asset_ids: Iterable[UUID]) -> dict[UUID, list[Usable]]:
        """The system users that may be used on each of the assets, highest priority first (S5-026). Three queries."""
        wanted = list(asset_ids)
        grants = self.permission_ids
        pairs = set(
            PermissionAsset.objects.filter(asset_id__in=wanted, assetpermission_id__in=grants).values_list(
                "asset_id", "assetpermission_id"
            )
        ) | set(
            AssetNode.objects.filter(
                asset_id__in=wanted, node__paths_up__ancestor__asset_permission_rows__assetpermission_id__in=grants
            ).values_list("asset_id", "node__paths_up__ancestor__asset_permission_rows__assetpermission_id")
        )
        pairs = {(asset_id, permission_id) for asset_id, permission_id in pairs if permission_id in grants}
        granted: dict[UUID, list[Any]] = defaultdict(list)
        rows = PermissionSystemUser.objects.filter(
            assetpermission_id__in={permission_id for _asset, permission_id in pairs}
        ).select_related("systemuser", "assetpermission")
        for row in rows:
            granted[row.assetpermission_id].append(row)
        offered = defaultdict(set)
        for asset_id, name in Asset.objects.filter(pk__in=wanted).values_list("pk", "protocol_rows__name"):
            offered[asset_id].add(name)
        usable_by_asset: dict[UUID, dict[UUID, Usable]] = defaultdict(dict)
        for asset_id, permission_id in pairs:
            for row in granted[permission_id]:
                if row.systemuser.protocol in offered[asset_id]:
                    _add(usable_by_asset[asset_id], row)
        return {
            asset_id: sorted(
                usable_by_asset[asset_id].values(), key=lambda usable: (-usable.priority, usable.name, str(usable.id))
            )
            for asset_id in wanted
        }

    def visible_nodes(self) -> QuerySet[Node]:
        """The nodes of the user's tree.

        A granted node is shown with its whole subtree and the path from the root. Nodes of granted assets are shown
        with their path.
        """
        granted = self.nodes_of(self.permission_ids)
        places = AssetNode.objects.filter(asset_id__in=self._asset_ids()).values("node_id")
        parts = [
            NodePath.objects.filter(ancestor_id__in=granted).values("descendant_id"),
            NodePath.objects.filter(descendant_id__in=granted).values("ancestor_id"),
            NodePath.objects.filter(descendant_id__in=places).values("ancestor_id"),
        ]
        rows: QuerySet[Node] = Node.objects.filter(pk__in=_union(parts))
        return rows

    def visible_node(self, node_id: UUID) -> Node | None:
        """The node, if `visible_nodes` contains it.

        Composes the reachable assets only when no permission names a node above or below.
        """
        if self.indexed is not None:
            return Node.objects.filter(pk=node_id).first() if self.indexed.is_visible(node_id) else None
        granted = self.nodes_of(self.permission_ids)
        is_granted = (
            NodePath.objects.filter(ancestor_id__in=granted, descendant_id=node_id).exists()
            or NodePath.objects.filter(ancestor_id=node_id, descendant_id__in=granted).exists()
        )
        rows = Node.objects.all() if is_granted else self.visible_nodes()
        return rows.filter(pk=node_id).first()

    def counts(self, nodes: Sequence[UUID]) -> dict[UUID, int]:
        """Number of reachable assets in the subtree of each node."""
        # Start from the placements and not from the assets: SQLite would look up every asset in every node.
        places = AssetNode.objects.filter(asset_id__in=self._asset_ids()).values("pk")
        rows = (
            NodePath.objects.filter(ancestor_id__in=nodes)
            .filter(descendant__asset_rows__in=places)
            .values("ancestor_id")
            .annotate(count=Count("descendant__asset_rows__asset_id", distinct=True))
        )
        return dict(rows.values_list("ancestor_id", "count"))

    def parts(self, worlds: Mapping[UUID, World]) -> dict[UUID, Part]:
        """What is reachable in each of the worlds. Two queries."""
        named: dict[UUID, dict[UUID, list[int]]] = defaultdict(lambda: defaultdict(list))
        rows = PermissionAsset.objects.filter(assetpermission_id__in=self.permission_ids).order_by()
        for permission_id, org_id, number in rows.values_list("assetpermission_id", "asset__org_id", "asset__dense_id"):
            named[org_id][permission_id].append(number)
        return {org_id: self._part(world, named[org_id]) for org_id, world in worlds.items()}

    def _part(self, world: World, named: Mapping[UUID, list[int]]) -> Part:
        assets, direct = BitMap(), BitMap()
        for protocol, ids in self.by_protocol.items():
            by_name = world.offering(
                protocol, BitMap(number for permission_id in ids for number in named.get(permission_id, ()))
            )
            direct |= by_name
            assets |= by_name | world.offering(protocol, world.below(self.nodes_of(ids)))
        granted = frozenset(node for node in self.nodes_of(self.permission_ids) if node in world.places)
        above = frozenset(step for node in granted for step in world.chain(node))
        return Part(world=world, assets=assets, named=direct, granted=granted, above=above)

    @property
    def org_ids(self) -> frozenset[UUID]:
        """The organizations of the permissions."""
        return frozenset(self._org_ids)

    def _asset_ids(self) -> Ids:
        parts: list[Ids] = []
        for protocol, ids in self.by_protocol.items():
            direct = PermissionAsset.objects.filter(assetpermission_id__in=ids).values("asset_id")
            below = NodePath.objects.filter(ancestor_id__in=self.nodes_of(ids)).values("descendant_id")
            placed = AssetNode.objects.filter(node_id__in=below).values("asset_id")
            parts.append(_offering(protocol, direct.union(placed)))
        return _union(parts) if parts else Asset.objects.none().values("pk")

    def nodes_of(self, permission_ids: set[UUID]) -> list[UUID]:
        """Ids of the nodes that these permissions name.

        They are few; reading them separately makes the next query fast.
        """
        if self._nodes is None:
            self._nodes = defaultdict(set)
            rows = PermissionNode.objects.filter(assetpermission_id__in=self.permission_ids)
            for permission_id, node_id in rows.values_list("assetpermission_id", "node_id"):
                self._nodes[permission_id].add(node_id)
        return list(set().union(*(self._nodes.get(permission_id, set()) for permission_id in permission_ids)))


def load_reach(who: Who, at: datetime, protocol: Protocol | None = None, *, system_user: UUID | None = None) -> Reach:
    """The grants with the index of what they reach, all of one instant. Inside a transaction without the index."""
    if not kept.can_be_used():
        return Reach(who, at, protocol, system_user=system_user)
    for is_last in (False, False, True):
        with suppress(kept.WentOn), snapshot():
            reach = Reach(who, at, protocol, system_user=system_user)
            worlds = kept.worlds_of(reach.org_ids, alone=is_last) if reach.org_ids else {}
            reach.indexed = IndexedReach(reach.parts(worlds) if worlds else {})
            return reach
    raise AssertionError("the last turn has its own worlds")


def _offering(protocol: str, asset_ids: Ids) -> Ids:
    """Those of the assets that offer the protocol."""
    return AssetProtocol.objects.filter(name=protocol, asset_id__in=asset_ids).order_by().values("asset_id")


def _grants(who: Who, at: datetime, protocol: Protocol | None) -> Iterable[tuple[UUID, str, UUID]]:
    """(permission, protocol of one of its system users, organization) for the valid permissions."""
    if who.group_id is not None:
        grant_rows = _grants_of_group().tuples(group_id=who.group_id, at=at)
    elif who.user_id is not None:
        grant_rows = _grants_of_user().tuples(user_id=who.user_id, at=at)
    else:
        grant_rows = []
    # Compare the organization in Python: SQLite would use its index and read all permissions of the organization.
    return (
        (permission_id, spoken, org_id)
        for permission_id, spoken, org_id in grant_rows
        if who.org_id in {None, org_id} and (protocol is None or protocol.value == spoken)
    )


_GRANT_COLUMNS: Final = ("assetpermission_id", "systemuser__protocol", "assetpermission__org_id")
#: Placeholder of the instant at which grants are valid.
_INSTANT: Final = datetime(1999, 1, 1, tzinfo=UTC)


@cache
def _grants_of_user() -> PreparedQuery:
    def build(user_id: UUID, at: datetime) -> Ids:
        is_unexpired = Q(date_expired__isnull=True) | Q(date_expired__gt=at)
        return _valid_at(at).filter(
            Exists(User.objects.filter(is_unexpired, pk=user_id, is_active=True)),
            Exists(Membership.objects.filter(user_id=user_id, org_id=OuterRef("assetpermission__org_id"))),
            assetpermission_id__in=permissions_naming_user(user_id),
        )

    return PreparedQuery(build, stand_ins={"user_id": UUID(int=1), "at": _INSTANT}, columns=_GRANT_COLUMNS)


@cache
def _grants_of_group() -> PreparedQuery:
    def build(group_id: UUID, at: datetime) -> Ids:
        permission_ids = PermissionUserGroup.objects.filter(usergroup_id=group_id).values("assetpermission_id")
        return _valid_at(at).filter(assetpermission_id__in=permission_ids)

    return PreparedQuery(build, stand_ins={"group_id": UUID(int=1), "at": _INSTANT}, columns=_GRANT_COLUMNS)


def _valid_at(at: datetime) -> Ids:
    """System users of the permissions that are valid at this instant and include the action connect."""
    return (
        PermissionSystemUser.objects.filter(
            assetpermission__is_active=True,
            assetpermission__date_start__lte=at,
            assetpermission__date_expired__gt=at,
        )
        .annotate(connect=F("assetpermission__actions").bitand(Actions.CONNECT.value))
        .filter(connect__gt=0)
        .distinct()
    )


def _union(parts: list[Ids]) -> Ids:
    return parts[0].union(*parts[1:]) if len(parts) > 1 else parts[0]


def _add(usable: dict[UUID, Usable], row: PermissionSystemUser) -> None:
    system_user = row.systemuser
    protocol = Protocol(system_user.protocol)
    actions = possible_actions(protocol, Actions(row.assetpermission.actions))
    held = usable.get(system_user.pk)
    usable[system_user.pk] = Usable(
        id=system_user.pk,
        name=system_user.name,
        username=system_user.username,
        protocol=protocol,
        login_mode=system_user.login_mode,
        priority=system_user.priority,
        sftp_root=system_user.sftp_root,
        username_same_with_user=system_user.username_same_with_user,
        actions=actions | (held.actions if held else Actions.NONE),
    )
