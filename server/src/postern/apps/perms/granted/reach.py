"""What somebody may reach: lists, counts and trees, composed from the truth tables in a few steps.

First the permissions that hold now (one query), then the assets below them, each step with the ids of the step before: at the
sizes measured one big joined statement is slower. An asset is in reach when some permission gives a system user of a protocol
that the asset offers, with the action connect: exactly when `decision.evaluate` would say yes for some system user.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from postern.apps.assets.models import Asset, AssetNode, AssetProtocol, Node, NodePath
from postern.apps.perms.decisions.queries import permissions_naming_user
from postern.apps.perms.grants.models import PermissionAsset, PermissionNode, PermissionSystemUser, PermissionUserGroup
from postern.apps.users.models import Membership, User
from postern.contracts.enums import Actions, Protocol

Ids = QuerySet[Any, Any]


@dataclass(frozen=True, slots=True)
class Who:
    """A person or a user group; exactly one is set. `org_id` limits to one organization (None: all)."""

    user_id: UUID | None = None
    group_id: UUID | None = None
    org_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Usable:
    """A system user with the actions that it may be used with on one asset."""

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
    """The grants of somebody that hold at one instant, ready to be turned into lists. Two queries to make."""

    def __init__(self, who: Who, at: datetime, protocol: Protocol | None = None) -> None:
        self._by_protocol: dict[str, set[UUID]] = defaultdict(set)
        for permission_id, spoken in _grants(who, at, protocol):
            self._by_protocol[spoken].add(permission_id)
        self._nodes: dict[UUID, set[UUID]] | None = None

    @property
    def permission_ids(self) -> set[UUID]:
        return set().union(*self._by_protocol.values()) if self._by_protocol else set()

    def assets(self, *, include_inactive: bool = False) -> QuerySet[Asset]:
        """The assets in reach."""
        rows: QuerySet[Asset] = Asset.objects.filter(pk__in=self._asset_ids())
        return rows if include_inactive else rows.filter(is_active=True)

    def directly_granted(self) -> QuerySet[Asset]:
        """The assets that a permission names by themselves."""
        parts = [
            _offering(protocol, PermissionAsset.objects.filter(assetpermission_id__in=ids).values("asset_id"))
            for protocol, ids in self._by_protocol.items()
        ]
        return Asset.objects.filter(pk__in=_union(parts)) if parts else Asset.objects.none()

    def usable(self, asset_ids: Iterable[UUID]) -> dict[UUID, list[Usable]]:
        """The system users that may be used on each of the assets, the highest priority first (S5-026). Three queries."""
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
        found: dict[UUID, dict[UUID, Usable]] = defaultdict(dict)
        for asset_id, permission_id in pairs:
            for row in granted[permission_id]:
                if row.systemuser.protocol in offered[asset_id]:
                    _add(found[asset_id], row)
        return {
            asset_id: sorted(found[asset_id].values(), key=lambda one: (-one.priority, one.name, str(one.id)))
            for asset_id in wanted
        }

    def visible_nodes(self) -> QuerySet[Node]:
        """The nodes of the person's tree.

        A granted node shows its whole subtree and, like an asset's place, the way from the root down to it.
        """
        granted = self._nodes_of(self.permission_ids)
        places = AssetNode.objects.filter(asset_id__in=self._asset_ids()).values("node_id")
        parts = [
            NodePath.objects.filter(ancestor_id__in=granted).values("descendant_id"),
            NodePath.objects.filter(descendant_id__in=granted).values("ancestor_id"),
            NodePath.objects.filter(descendant_id__in=places).values("ancestor_id"),
        ]
        rows: QuerySet[Node] = Node.objects.filter(pk__in=_union(parts))
        return rows

    def counts(self, nodes: Iterable[Node]) -> dict[UUID, int]:
        """How many assets in reach stand in the subtree of each node."""
        # By the places and not by the assets: SQLite would look every asset up in every node
        places = AssetNode.objects.filter(asset_id__in=self._asset_ids()).values("pk")
        rows = (
            NodePath.objects.filter(ancestor_id__in=[node.pk for node in nodes])
            .filter(descendant__asset_rows__in=places)
            .values("ancestor_id")
            .annotate(count=Count("descendant__asset_rows__asset_id", distinct=True))
        )
        return dict(rows.values_list("ancestor_id", "count"))

    def _asset_ids(self) -> Ids:
        parts: list[Ids] = []
        for protocol, ids in self._by_protocol.items():
            direct = PermissionAsset.objects.filter(assetpermission_id__in=ids).values("asset_id")
            below = NodePath.objects.filter(ancestor_id__in=self._nodes_of(ids)).values("descendant_id")
            placed = AssetNode.objects.filter(node_id__in=below).values("asset_id")
            parts.append(_offering(protocol, direct.union(placed)))
        return _union(parts) if parts else Asset.objects.none().values("pk")

    def _nodes_of(self, permission_ids: set[UUID]) -> list[UUID]:
        """Ids of the nodes that these permissions name: few, and a step of their own, which keeps the next one quick."""
        if self._nodes is None:
            self._nodes = defaultdict(set)
            rows = PermissionNode.objects.filter(assetpermission_id__in=self.permission_ids)
            for permission_id, node_id in rows.values_list("assetpermission_id", "node_id"):
                self._nodes[permission_id].add(node_id)
        return list(set().union(*(self._nodes.get(one, set()) for one in permission_ids)))


def _offering(protocol: str, asset_ids: Ids) -> Ids:
    """Those of the assets that offer the protocol."""
    return AssetProtocol.objects.filter(name=protocol, asset_id__in=asset_ids).order_by().values("asset_id")


def _grants(who: Who, at: datetime, protocol: Protocol | None) -> Iterable[tuple[UUID, str]]:
    """(permission, protocol of one of its system users) for the permissions that hold."""
    rows = (
        PermissionSystemUser.objects.filter(
            assetpermission__is_active=True,
            assetpermission__date_start__lte=at,
            assetpermission__date_expired__gt=at,
        )
        .annotate(connect=F("assetpermission__actions").bitand(Actions.CONNECT.value))
        .filter(connect__gt=0)
    )
    if who.org_id is not None:
        rows = rows.filter(assetpermission__org_id=who.org_id)
    if protocol is not None:
        rows = rows.filter(systemuser__protocol=protocol.value)
    if who.group_id is not None:
        named: Ids = PermissionUserGroup.objects.filter(usergroup_id=who.group_id).values("assetpermission_id")
    elif who.user_id is None:
        return ()
    else:
        valid = User.objects.filter(pk=who.user_id, is_active=True).filter(
            Q(date_expired__isnull=True) | Q(date_expired__gt=at)
        )
        if not valid.exists():
            return ()
        named = permissions_naming_user(who.user_id)
        rows = rows.filter(
            Exists(Membership.objects.filter(user_id=who.user_id, org_id=OuterRef("assetpermission__org_id")))
        )
    return (
        rows.filter(assetpermission_id__in=named).values_list("assetpermission_id", "systemuser__protocol").distinct()
    )


def _union(parts: list[Ids]) -> Ids:
    return parts[0].union(*parts[1:]) if len(parts) > 1 else parts[0]


def _add(found: dict[UUID, Usable], row: PermissionSystemUser) -> None:
    system_user, actions = row.systemuser, Actions(row.assetpermission.actions)
    held = found.get(system_user.pk)
    found[system_user.pk] = Usable(
        id=system_user.pk,
        name=system_user.name,
        username=system_user.username,
        protocol=Protocol(system_user.protocol),
        login_mode=system_user.login_mode,
        priority=system_user.priority,
        sftp_root=system_user.sftp_root,
        username_same_with_user=system_user.username_same_with_user,
        actions=actions | (held.actions if held else Actions.NONE),
    )
