"""The users and applications of one permission."""

from functools import partial
from typing import Final

from django.db.models import QuerySet

from postern.apps.applications.models import Application
from postern.apps.perms.application_grants.models import ApplicationPermission, ApplicationPermissionApplication
from postern.apps.perms.application_permissions.kind import APPLICATION_PERMISSIONS
from postern.apps.perms.granting import members
from postern.apps.perms.granting.members import searched

users_of: Final = partial(members.users_of, APPLICATION_PERMISSIONS)


def applications_of(permission: ApplicationPermission, search: str) -> QuerySet[Application]:
    """Applications that the permission names, by name."""
    links = ApplicationPermissionApplication.objects.filter(applicationpermission=permission)
    rows: QuerySet[Application] = Application.objects.filter(pk__in=links.values("application_id"))
    return searched(rows, search, ("name",)).order_by("name", "pk")
