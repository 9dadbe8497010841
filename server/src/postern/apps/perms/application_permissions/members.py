"""The users of one application permission, with groups resolved, and its applications."""

from django.db.models import Q, QuerySet

from postern.apps.applications.models import Application
from postern.apps.perms.application_grants.models import (
    ApplicationPermission,
    ApplicationPermissionApplication,
    ApplicationPermissionUser,
)
from postern.apps.users.models import User, UserGroupMember


def users_of(permission: ApplicationPermission, search: str) -> QuerySet[User]:
    """Users whom the permission names directly or through a group, by username."""
    direct = ApplicationPermissionUser.objects.filter(applicationpermission=permission).values("user_id")
    members = UserGroupMember.objects.filter(usergroup__application_permission_rows__applicationpermission=permission)
    # the members of a union must not be ordered
    rows = User.objects.filter(pk__in=direct.union(members.order_by().values("user_id")))
    for word in search.replace("\x00", "").split()[:8]:
        rows = rows.filter(Q(username__icontains=word) | Q(name__icontains=word))
    return rows.order_by("username")


def applications_of(permission: ApplicationPermission, search: str) -> QuerySet[Application]:
    """Applications that the permission names, by name."""
    links = ApplicationPermissionApplication.objects.filter(applicationpermission=permission)
    rows: QuerySet[Application] = Application.objects.filter(pk__in=links.values("application_id"))
    for word in search.replace("\x00", "").split()[:8]:
        rows = rows.filter(name__icontains=word)
    return rows.order_by("name", "pk")
