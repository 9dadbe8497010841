"""Re-exports the tables of permissions for Django's model discovery and for the other apps."""

from postern.apps.perms.application_grants.models import (
    ApplicationPermission,
    ApplicationPermissionApplication,
    ApplicationPermissionSystemUser,
    ApplicationPermissionUser,
    ApplicationPermissionUserGroup,
)
from postern.apps.perms.grants.models import (
    DEFAULT_LIFE,
    AssetPermission,
    PermissionAsset,
    PermissionNode,
    PermissionSystemUser,
    PermissionUser,
    PermissionUserGroup,
    default_date_expired,
)
from postern.apps.perms.history.models import HistoryStart, PastLink, PastObject
from postern.apps.perms.last_uses.models import PermissionUse

__all__ = [
    "DEFAULT_LIFE",
    "ApplicationPermission",
    "ApplicationPermissionApplication",
    "ApplicationPermissionSystemUser",
    "ApplicationPermissionUser",
    "ApplicationPermissionUserGroup",
    "AssetPermission",
    "HistoryStart",
    "PastLink",
    "PastObject",
    "PermissionAsset",
    "PermissionNode",
    "PermissionSystemUser",
    "PermissionUse",
    "PermissionUser",
    "PermissionUserGroup",
    "default_date_expired",
]
