"""The five link tables of a permission, described once: names on the wire, table, column, how an object is named."""

from dataclasses import dataclass
from typing import Any, Final

from django.db import models

from postern.apps.perms.models import (
    PermissionAsset,
    PermissionNode,
    PermissionSystemUser,
    PermissionUser,
    PermissionUserGroup,
)


@dataclass(frozen=True, slots=True)
class Link:
    """`list_name`: field of a permission. `column`: field of a row. `table`: model of the rows."""

    list_name: str
    column: str
    table: type[models.Model]

    @property
    def target(self) -> Any:
        """The model at the other end."""
        return self.table._meta.get_field(self.column).related_model  # noqa: SLF001 - the documented model API

    @property
    def rows(self) -> Any:
        return self.table._default_manager  # noqa: SLF001 - the documented model API


USERS: Final = Link("users", "user", PermissionUser)
USER_GROUPS: Final = Link("user_groups", "usergroup", PermissionUserGroup)
ASSETS: Final = Link("assets", "asset", PermissionAsset)
NODES: Final = Link("nodes", "node", PermissionNode)
SYSTEM_USERS: Final = Link("system_users", "systemuser", PermissionSystemUser)
LINKS: Final = (USERS, USER_GROUPS, ASSETS, NODES, SYSTEM_USERS)
