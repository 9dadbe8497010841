"""List filters of permissions by the objects they name (contract:

"Query filters"). An unknown reference matches nothing.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from postern.apps.assets.models import Asset, AssetNode, Node, NodePath
from postern.apps.perms.grants.models import (
    AssetPermission,
    PermissionAsset,
    PermissionNode,
    PermissionSystemUser,
    PermissionUser,
    PermissionUserGroup,
)
from postern.apps.users.models import User, UserGroup, UserGroupMember
from postern.apps.vault.models import SystemUser
from postern.kernel.ids import parse_id

_NO: Final = frozenset({"0", "false", "no"})
_YES: Final = frozenset({"1", "true", "yes"})
Rows = QuerySet[AssetPermission]
#: Names of the filters, for the API description.
FILTERS: Final = (
    *("user_id", "username", "user_group_id", "user_group", "system_user_id", "system_user", "node_id", "node"),
    *("asset_id", "hostname", "ip", "is_valid", "is_effective", "all"),
)


class PermissionFilters:
    """The filters of one request."""

    def __init__(self, params: Mapping[str, str], at: datetime) -> None:
        self._params = params
        self._at = at
        self._inherited = params.get("all", "1").lower() not in _NO

    def apply(self, rows: Rows) -> Rows | None:
        """The matching rows, or None when no filter is given."""
        steps: tuple[tuple[tuple[str, ...], Callable[[Rows, str, str], Rows]], ...] = (
            (("user_id", "username"), self._user),
            (("user_group_id", "user_group"), self._user_group),
            (("system_user_id", "system_user"), self._system_user),
            (("node_id", "node"), self._node),
            (("asset_id", "hostname", "ip"), self._asset),
            (("is_valid",), self._is_valid),
            (("is_effective",), self._is_effective),
        )
        given = False
        for names, step in steps:
            for name in names:
                text = self._params.get(name)
                if text:
                    rows, given = step(rows, name, text), True
        return rows if given else None

    def _user(self, rows: Rows, name: str, text: str) -> Rows:
        ids = _ids(User.objects.all(), "username" if name == "username" else "id", text)
        direct = PermissionUser.objects.filter(user_id__in=ids).values("assetpermission_id")
        if not self._inherited:
            return rows.filter(pk__in=direct)
        groups = UserGroupMember.objects.filter(user_id__in=ids).values("usergroup_id")
        by_group = PermissionUserGroup.objects.filter(usergroup_id__in=groups).values("assetpermission_id")
        return rows.filter(pk__in=direct.union(by_group))

    def _user_group(self, rows: Rows, name: str, text: str) -> Rows:
        ids = _ids(UserGroup.objects.all(), "name" if name == "user_group" else "id", text)
        return rows.filter(pk__in=PermissionUserGroup.objects.filter(usergroup_id__in=ids).values("assetpermission_id"))

    def _system_user(self, rows: Rows, name: str, text: str) -> Rows:
        ids = _ids(SystemUser.objects.all(), "name" if name == "system_user" else "id", text)
        return rows.filter(
            pk__in=PermissionSystemUser.objects.filter(systemuser_id__in=ids).values("assetpermission_id")
        )

    def _node(self, rows: Rows, name: str, text: str) -> Rows:
        ids = _ids(Node.objects.all(), "value" if name == "node" else "id", text)
        named: QuerySet[Any, Any] = ids
        if self._inherited:
            named = NodePath.objects.filter(descendant_id__in=ids).values("ancestor_id")
        return rows.filter(pk__in=PermissionNode.objects.filter(node_id__in=named).values("assetpermission_id"))

    def _asset(self, rows: Rows, name: str, text: str) -> Rows:
        ids = _ids(Asset.objects.all(), "id" if name == "asset_id" else name, text)
        direct = PermissionAsset.objects.filter(asset_id__in=ids).values("assetpermission_id")
        if not self._inherited:
            return rows.filter(pk__in=direct)
        places = AssetNode.objects.filter(asset_id__in=ids).values("node_id")
        above = NodePath.objects.filter(descendant_id__in=places).values("ancestor_id")
        by_node = PermissionNode.objects.filter(node_id__in=above).values("assetpermission_id")
        return rows.filter(pk__in=direct.union(by_node))

    def _is_valid(self, rows: Rows, name: str, text: str) -> Rows:
        del name
        valid = Q(is_active=True, date_start__lte=self._at, date_expired__gt=self._at)
        return rows.filter(valid if text.lower() in _YES else ~valid)

    def _is_effective(self, rows: Rows, name: str, text: str) -> Rows:
        """Valid, and names at least one subject, one object, a system user and an action."""
        del name
        this = OuterRef("pk")
        who = Exists(PermissionUser.objects.filter(assetpermission=this)) | Exists(
            UserGroupMember.objects.filter(usergroup__asset_permission_rows__assetpermission=this)
        )
        what = Exists(PermissionAsset.objects.filter(assetpermission=this)) | Exists(
            PermissionNode.objects.filter(assetpermission=this)
        )
        as_whom = Exists(PermissionSystemUser.objects.filter(assetpermission=this))
        effective = (
            Q(is_active=True, date_start__lte=self._at, date_expired__gt=self._at, actions__gt=0)
            & Q(who)
            & Q(what)
            & Q(as_whom)
        )
        return rows.filter(effective if text.lower() in _YES else ~effective)


def _ids(rows: QuerySet[Any], column: str, text: str) -> QuerySet[Any, Any]:
    """Ids of the objects that match a filter value; empty when none matches."""
    if column == "id":
        parsed_id = parse_id(text)
        return (rows.filter(pk=parsed_id) if parsed_id else rows.none()).values("pk")
    return rows.filter(Q((column, text))).values("pk")
