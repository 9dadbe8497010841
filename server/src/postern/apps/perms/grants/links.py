"""The five link tables of a permission, described once: API names, table, column, and display name of the objects."""

from typing import Final

from postern.apps.perms.granting.links import Link
from postern.apps.perms.grants.models import (
    PermissionAsset,
    PermissionNode,
    PermissionSystemUser,
    PermissionUser,
    PermissionUserGroup,
)

__all__ = ["ASSETS", "LINKS", "NODES", "SYSTEM_USERS", "USERS", "USER_GROUPS", "Link"]

USERS: Final = Link("users", "user", PermissionUser, ("name", "username"))
USER_GROUPS: Final = Link("user_groups", "usergroup", PermissionUserGroup, ("name",))
ASSETS: Final = Link("assets", "asset", PermissionAsset, ("hostname", "ip"))
NODES: Final = Link("nodes", "node", PermissionNode, ("full_value",))
SYSTEM_USERS: Final = Link("system_users", "systemuser", PermissionSystemUser, ("name",))
LINKS: Final = (USERS, USER_GROUPS, ASSETS, NODES, SYSTEM_USERS)
