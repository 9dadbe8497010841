"""Writes of asset permissions and of their links (`granting.actions`)."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final
from uuid import UUID

from postern.apps.perms.granting import actions
from postern.apps.perms.grants.models import AssetPermission
from postern.apps.perms.permissions.kind import ASSET_PERMISSIONS
from postern.foundation.caller.actor import Actor

create_permissions: Final = partial(actions.create_permissions, ASSET_PERMISSIONS)
update_permission: Final = partial(actions.update_permission, ASSET_PERMISSIONS)
delete_permission: Final = partial(actions.delete_permission, ASSET_PERMISSIONS)
add_link: Final = partial(actions.add_link, ASSET_PERMISSIONS)
remove_link: Final = partial(actions.remove_link, ASSET_PERMISSIONS)
forget_user: Final = partial(actions.forget_user, ASSET_PERMISSIONS)


def create_permission(*, actor: Actor, org_id: UUID, values: Mapping[str, Any]) -> AssetPermission:
    """Create a permission. `values`: columns, and a list of objects for each of the five links."""
    return create_permissions(actor=actor, org_id=org_id, items=[values])[0]
