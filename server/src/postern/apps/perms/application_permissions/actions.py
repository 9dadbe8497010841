"""Writes of application permissions and of their links (`granting.actions`)."""

from functools import partial
from typing import Final

from postern.apps.perms.application_permissions.kind import APPLICATION_PERMISSIONS
from postern.apps.perms.granting import actions

create_permissions: Final = partial(actions.create_permissions, APPLICATION_PERMISSIONS)
update_permission: Final = partial(actions.update_permission, APPLICATION_PERMISSIONS)
delete_permission: Final = partial(actions.delete_permission, APPLICATION_PERMISSIONS)
add_link: Final = partial(actions.add_link, APPLICATION_PERMISSIONS)
remove_link: Final = partial(actions.remove_link, APPLICATION_PERMISSIONS)
forget_user: Final = partial(actions.forget_user, APPLICATION_PERMISSIONS)
