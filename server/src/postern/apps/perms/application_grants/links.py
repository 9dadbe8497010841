"""The four link tables of an application permission, described as those of asset permissions are."""

from typing import Final

from postern.apps.perms.application_grants.models import (
    ApplicationPermissionApplication,
    ApplicationPermissionSystemUser,
    ApplicationPermissionUser,
    ApplicationPermissionUserGroup,
)
from postern.apps.perms.granting.links import Link

USERS: Final = Link("users", "user", ApplicationPermissionUser, ("name", "username"))
USER_GROUPS: Final = Link("user_groups", "usergroup", ApplicationPermissionUserGroup, ("name",))
APPLICATIONS: Final = Link("applications", "application", ApplicationPermissionApplication, ("name",))
SYSTEM_USERS: Final = Link("system_users", "systemuser", ApplicationPermissionSystemUser, ("name",))
LINKS: Final = (USERS, USER_GROUPS, APPLICATIONS, SYSTEM_USERS)
