"""List filters of asset permissions: by the objects they name, directly or through groups and nodes."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.db.models import QuerySet

from postern.apps.assets.models import AssetNode, NodePath
from postern.apps.perms.granting.filters import (
    STATES,
    ObjectFilter,
    narrowed,
    of_system_users,
    of_user_groups,
    of_users,
)
from postern.apps.perms.grants.links import ASSETS, NODES, SYSTEM_USERS, USER_GROUPS, USERS
from postern.apps.perms.grants.models import AssetPermission
from postern.apps.perms.permissions.kind import ASSET_PERMISSIONS

_Ids = QuerySet[Any, Any]


def _naming_node(ids: _Ids) -> _Ids:
    return NODES.naming(NodePath.objects.filter(descendant_id__in=ids).values("ancestor_id"))


def _naming_asset(ids: _Ids) -> _Ids:
    return ASSETS.naming(ids).union(_naming_node(AssetNode.objects.filter(asset_id__in=ids).values("node_id")))


_FILTERS: Final = (
    of_users(USERS, USER_GROUPS),
    of_user_groups(USER_GROUPS),
    of_system_users(SYSTEM_USERS),
    ObjectFilter(NODES, {"node_id": "pk", "node": "value"}, _naming_node),
    ObjectFilter(ASSETS, {"asset_id": "pk", "hostname": "hostname", "ip": "ip"}, _naming_asset),
)
#: Names of the filters, for the API description.
FILTERS: Final = (*(name for definition in _FILTERS for name in definition.columns), *STATES)


class PermissionFilters:
    """The filters of one request."""

    def __init__(self, params: Mapping[str, str], at: datetime) -> None:
        self._params = params
        self._at = at

    def apply(self, rows: QuerySet[AssetPermission]) -> QuerySet[AssetPermission] | None:
        """The matching rows, or None when no filter is given."""
        if not any(self._params.get(name) for name in FILTERS if name != "all"):
            return None
        return narrowed(ASSET_PERMISSIONS, _FILTERS, rows, self._params, self._at)
