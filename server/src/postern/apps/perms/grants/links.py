"""The five link tables of a permission, described once: API names, table, column, and display name of the objects."""

from dataclasses import dataclass
from typing import Any, Final

from django.db import models

from postern.apps.perms.grants.models import (
    PermissionAsset,
    PermissionNode,
    PermissionSystemUser,
    PermissionUser,
    PermissionUserGroup,
)


@dataclass(frozen=True, slots=True)
class Link:
    """`list_name`: field of a permission.

    `column`: field of a link row. `table`: model of the link rows. `named_by`: columns of an object's display name.
    """

    list_name: str
    column: str
    table: type[models.Model]
    named_by: tuple[str, ...]

    @property
    def target(self) -> Any:
        """The model at the other end."""
        return self.table._meta.get_field(self.column).related_model  # noqa: SLF001 - the documented model API

    @property
    def names(self) -> Any:
        """The linked objects with the columns of their display names, in list order."""
        return self.target._default_manager.only(*self.named_by)  # noqa: SLF001 - the documented model API

    @property
    def rows(self) -> Any:
        return self.table._default_manager  # noqa: SLF001 - the documented model API


USERS: Final = Link("users", "user", PermissionUser, ("name", "username"))
USER_GROUPS: Final = Link("user_groups", "usergroup", PermissionUserGroup, ("name",))
ASSETS: Final = Link("assets", "asset", PermissionAsset, ("hostname", "ip"))
NODES: Final = Link("nodes", "node", PermissionNode, ("full_value",))
SYSTEM_USERS: Final = Link("system_users", "systemuser", PermissionSystemUser, ("name",))
LINKS: Final = (USERS, USER_GROUPS, ASSETS, NODES, SYSTEM_USERS)
