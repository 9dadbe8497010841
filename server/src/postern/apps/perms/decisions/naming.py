"""Which permissions name a user or an asset, valid or not."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from postern.apps.perms.grants.models import PermissionAsset, PermissionNode, PermissionUser, PermissionUserGroup

Ids = QuerySet[Any, Any]


def permissions_naming_user(user_id: UUID) -> Ids:
    """Ids of the permissions that name the user or one of their groups."""
    direct, by_group = naming_user(user_id)
    return direct.union(by_group, all=True)


def naming_user(user_id: UUID) -> tuple[Ids, Ids]:
    """The same apart: directly, and through groups."""
    direct = PermissionUser.objects.filter(user_id=user_id).values("assetpermission_id")
    by_group = PermissionUserGroup.objects.filter(usergroup__member_rows__user_id=user_id).values("assetpermission_id")
    return direct, by_group


def permissions_naming_asset(asset_id: UUID) -> Ids:
    """Ids of the permissions that name the asset, a node that contains it, or a node above."""
    direct, by_node = naming_asset(asset_id)
    return direct.union(by_node, all=True)


def naming_asset(asset_id: UUID) -> tuple[Ids, Ids]:
    """The same apart: directly, and through nodes."""
    direct = PermissionAsset.objects.filter(asset_id=asset_id).values("assetpermission_id")
    by_node = PermissionNode.objects.filter(node__paths_down__descendant__asset_rows__asset_id=asset_id).values(
        "assetpermission_id"
    )
    return direct, by_node
