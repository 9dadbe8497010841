"""System users whose accounts Postern creates by itself, and where they belong."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from postern.apps.assets.models import Asset, AssetNode, AssetProtocol, NodePath
from postern.apps.assets.platforms.models import PlatformBase
from postern.apps.vault.system_users.models import (
    LoginMode,
    SystemUser,
    SystemUserAsset,
    SystemUserNode,
    SystemUserType,
    SystemUserUser,
)
from postern.contracts.enums import Protocol


@dataclass(frozen=True, slots=True)
class AutomaticAccounts:
    """A system user with auto push. `usernames` are its account names: those of its users if it has no own.

    `is_for_windows`: only Windows assets can have its accounts.
    """

    system_user_id: UUID
    usernames: Mapping[UUID | None, str]
    is_for_windows: bool = False


def automatic_accounts(org_id: UUID, system_user_ids: Collection[UUID]) -> dict[UUID, AutomaticAccounts]:
    """Those of the system users that are pushed automatically: auto push is on, and jobs can create the account."""
    rows = SystemUser.objects.filter(
        org_id=org_id,
        pk__in=system_user_ids,
        auto_push=True,
        type=SystemUserType.COMMON,
        protocol__in=(Protocol.SSH.value, Protocol.RDP.value),
        login_mode=LoginMode.AUTO,
    )
    accounts: dict[UUID, AutomaticAccounts] = {}
    for row in rows.order_by("pk"):
        usernames: dict[UUID | None, str] = {None: row.username}
        if row.username_same_with_user:
            users = SystemUserUser.objects.filter(systemuser=row).order_by("pk")
            usernames = dict(users.values_list("user_id", "user__username"))
        accounts[row.pk] = AutomaticAccounts(row.pk, usernames, row.protocol == Protocol.RDP)
    return accounts


def has_bound_nodes(org_id: UUID) -> bool:
    """Whether any system user of the organization is bound to a node."""
    return SystemUserNode.objects.filter(systemuser__org_id=org_id).exists()


def bound_to_nodes(org_id: UUID, node_ids: Collection[UUID]) -> dict[UUID, set[UUID]]:
    """The system users that are bound to each of these nodes themselves."""
    bound: dict[UUID, set[UUID]] = {}
    rows = SystemUserNode.objects.filter(systemuser__org_id=org_id, node_id__in=node_ids).order_by()
    for node_id, system_user_id in rows.values_list("node_id", "systemuser_id"):
        bound.setdefault(node_id, set()).add(system_user_id)
    return bound


def assets_to_push(org_id: UUID, rows: "QuerySet[Asset]", *, only_windows: bool = False) -> "QuerySet[Asset]":
    """Those of the assets on which accounts can be created: active, with an admin user to do it, and with SSH, or WinRM
    on Windows.
    """
    windows = Q(platform__base=PlatformBase.WINDOWS)
    offered = AssetProtocol.objects.filter(asset_id=OuterRef("pk"))
    can_be_reached = Exists(offered.filter(name=Protocol.SSH.value)) | (
        windows & Exists(offered.filter(name=Protocol.WINRM.value))
    )
    chosen: QuerySet[Asset] = rows.filter(can_be_reached, org_id=org_id, is_active=True, admin_user_id__isnull=False)
    return chosen.filter(windows) if only_windows else chosen


def bound_assets(system_user_id: UUID) -> "QuerySet[Asset]":
    """Assets that the system user is bound to, directly or through a node above them."""
    direct = SystemUserAsset.objects.filter(systemuser_id=system_user_id).order_by().values("asset_id")
    nodes = SystemUserNode.objects.filter(systemuser_id=system_user_id).values("node_id")
    below = NodePath.objects.filter(ancestor_id__in=nodes).values("descendant_id")
    placed = AssetNode.objects.filter(node_id__in=below).values("asset_id")
    rows: QuerySet[Asset] = Asset.objects.filter(pk__in=direct.union(placed))
    return rows


def nodes_above(node_ids: Iterable[UUID]) -> dict[UUID, set[UUID]]:
    """The ids of each node and of the nodes above it."""
    above: dict[UUID, set[UUID]] = {}
    rows = NodePath.objects.filter(descendant_id__in=set(node_ids)).order_by()
    for node_id, ancestor_id in rows.values_list("descendant_id", "ancestor_id"):
        above.setdefault(node_id, set()).add(ancestor_id)
    return above
