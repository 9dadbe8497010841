"""The users and assets of one permission, with groups and nodes resolved."""

from django.db.models import Q, QuerySet

from postern.apps.assets.models import Asset, AssetNode
from postern.apps.perms.grants.models import AssetPermission, PermissionAsset, PermissionUser
from postern.apps.users.models import User, UserGroupMember


def users_of(permission: AssetPermission, search: str) -> QuerySet[User]:
    """Users whom the permission names directly or through a group, by username."""
    direct = PermissionUser.objects.filter(assetpermission=permission).values("user_id")
    members = UserGroupMember.objects.filter(usergroup__asset_permission_rows__assetpermission=permission)
    # the members of a union must not be ordered
    by_group = members.order_by().values("user_id")
    rows = User.objects.filter(pk__in=direct.union(by_group))
    for word in search.split()[:8]:
        rows = rows.filter(Q(username__icontains=word) | Q(name__icontains=word))
    return rows.order_by("username")


def assets_of(permission: AssetPermission, search: str) -> QuerySet[Asset]:
    """Assets that the permission names directly or through a node above them, by hostname."""
    direct = PermissionAsset.objects.filter(assetpermission=permission).values("asset_id")
    by_node = AssetNode.objects.filter(
        node__paths_up__ancestor__asset_permission_rows__assetpermission=permission
    ).values("asset_id")
    rows: QuerySet[Asset] = Asset.objects.filter(pk__in=direct.union(by_node))
    for word in search.split()[:8]:
        rows = rows.filter(Q(hostname__icontains=word) | Q(ip__icontains=word))
    return rows.order_by("hostname", "pk")
