"""The users and assets of one permission, with nodes resolved."""

from functools import partial
from typing import Final

from django.db.models import QuerySet

from postern.apps.assets.models import Asset, AssetNode
from postern.apps.perms.granting import members
from postern.apps.perms.granting.members import searched
from postern.apps.perms.grants.models import AssetPermission, PermissionAsset
from postern.apps.perms.permissions.kind import ASSET_PERMISSIONS

users_of: Final = partial(members.users_of, ASSET_PERMISSIONS)


def assets_of(permission: AssetPermission, search: str) -> QuerySet[Asset]:
    """Assets that the permission names directly or through a node above them, by hostname."""
    direct = PermissionAsset.objects.filter(assetpermission=permission).values("asset_id")
    by_node = AssetNode.objects.filter(
        node__paths_up__ancestor__asset_permission_rows__assetpermission=permission
    ).values("asset_id")
    rows: QuerySet[Asset] = Asset.objects.filter(pk__in=direct.union(by_node))
    return searched(rows, search, ("hostname", "ip")).order_by("hostname", "pk")
