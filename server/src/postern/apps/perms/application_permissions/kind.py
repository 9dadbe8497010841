"""Application permissions: applications of one type, and system users that speak its protocol."""

from collections.abc import Collection
from typing import Any, Final

from django.utils.translation import gettext as _

from postern.apps.applications import facade as applications
from postern.apps.audits.facade import Event
from postern.apps.perms.application_grants.links import APPLICATIONS, SYSTEM_USERS, USER_GROUPS, USERS
from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.perms.application_permissions import accounts
from postern.apps.perms.granting.errors import FieldRefused
from postern.apps.perms.granting.kind import Kind
from postern.apps.perms.granting.links import Link
from postern.foundation import licensing


def _require_licence(permission: ApplicationPermission) -> None:
    """Raises LicenceRequired."""
    if applications.DECLARATIONS[permission.type].needs_licence:
        licensing.require()


def _require_fitting(permission: ApplicationPermission, link: Link, targets: Collection[Any]) -> None:
    declaration = applications.DECLARATIONS[permission.type]
    if link is APPLICATIONS:
        wrong = sorted(application.name for application in targets if application.type != permission.type)
        message = _("This permission is for %(type)s. %(name)s has another type.")
        values = {"type": declaration.type.label}
    elif link is SYSTEM_USERS:
        wrong = sorted(
            system_user.name for system_user in targets if system_user.protocol != declaration.protocol.value
        )
        message = _("System users of this permission must use %(protocol)s. %(name)s uses another protocol.")
        values = {"protocol": declaration.protocol.value}
    else:
        return
    if wrong:
        raise FieldRefused(link.list_name, message % {**values, "name": wrong[0]})


APPLICATION_PERMISSIONS: Final = Kind(
    model=ApplicationPermission,
    parent="applicationpermission",
    reverse="application_permission_rows",
    columns=("name", "category", "type", "is_active", "date_start", "date_expired", "comment"),
    users=USERS,
    user_groups=USER_GROUPS,
    objects=(APPLICATIONS,),
    system_users=SYSTEM_USERS,
    link_added=Event.APP_LINK_ADDED,
    link_removed=Event.APP_LINK_REMOVED,
    require_writable=_require_licence,
    require_fitting=_require_fitting,
    around=accounts.kept,
)
