"""Asset permissions: assets and nodes, with the actions that users may take there."""

from typing import Final

from django.db.models import Q

from postern.apps.audits.facade import Event
from postern.apps.perms.granting.kind import Kind
from postern.apps.perms.grants.action_names import to_names
from postern.apps.perms.grants.links import ASSETS, NODES, SYSTEM_USERS, USER_GROUPS, USERS
from postern.apps.perms.grants.models import AssetPermission

ASSET_PERMISSIONS: Final = Kind(
    model=AssetPermission,
    parent="assetpermission",
    reverse="asset_permission_rows",
    columns=("name", "is_active", "actions", "date_start", "date_expired", "comment"),
    users=USERS,
    user_groups=USER_GROUPS,
    objects=(ASSETS, NODES),
    system_users=SYSTEM_USERS,
    link_added=Event.ASSETPERMISSION_LINK_ADDED,
    link_removed=Event.ASSETPERMISSION_LINK_REMOVED,
    effective=Q(actions__gt=0),
    recorded={"actions": to_names},
)
