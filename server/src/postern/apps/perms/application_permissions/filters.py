"""List filters of application permissions by the objects they name (contract: application permissions). An unknown
reference matches nothing.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from postern.apps.applications.models import Application
from postern.apps.perms.application_grants.models import (
    ApplicationPermission,
    ApplicationPermissionApplication,
    ApplicationPermissionSystemUser,
    ApplicationPermissionUser,
    ApplicationPermissionUserGroup,
)
from postern.apps.users.models import User, UserGroup, UserGroupMember
from postern.apps.vault.models import SystemUser
from postern.kernel.ids import parse_id

Rows = QuerySet[ApplicationPermission]
_NO: Final = frozenset({"0", "false", "no"})
_YES: Final = frozenset({"1", "true", "yes"})
#: Names of the filters, for the API description.
FILTERS: Final = (
    *("user_id", "username", "user_group_id", "user_group", "system_user_id", "system_user"),
    *("application_id", "app", "application", "app_name", "is_valid", "is_effective", "all"),
)
_BY_ID: Final = frozenset({"user_id", "user_group_id", "system_user_id", "application_id", "app"})


def narrowed(rows: Rows, params: Mapping[str, str], at: datetime) -> Rows:
    """The rows that match the filters of one request at an instant."""
    inherited = params.get("all", "1").lower() not in _NO
    steps: tuple[tuple[tuple[str, ...], Callable[[Rows, str, str], Rows]], ...] = (
        (("user_id", "username"), _by_user if inherited else _by_user_alone),
        (("user_group_id", "user_group"), _by_group),
        (("system_user_id", "system_user"), _by_system_user),
        (("application_id", "app", "application", "app_name"), _by_application),
    )
    for names, step in steps:
        for name in names:
            if params.get(name):
                rows = step(rows, name, params[name])
    if params.get("is_valid"):
        valid = _valid_at(at)
        rows = rows.filter(valid if params["is_valid"].lower() in _YES else ~valid)
    if params.get("is_effective"):
        effective = _effective_at(at)
        rows = rows.filter(effective if params["is_effective"].lower() in _YES else ~effective)
    return rows


def _by_user(rows: Rows, name: str, text: str) -> Rows:
    ids = _ids(User.objects.all(), name, "username", text)
    groups = UserGroupMember.objects.filter(user_id__in=ids).order_by().values("usergroup_id")
    links = ApplicationPermissionUserGroup.objects.filter(usergroup_id__in=groups).values("applicationpermission_id")
    return rows.filter(pk__in=_of_users(ids).union(links))


def _by_user_alone(rows: Rows, name: str, text: str) -> Rows:
    return rows.filter(pk__in=_of_users(_ids(User.objects.all(), name, "username", text)))


def _of_users(ids: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
    return ApplicationPermissionUser.objects.filter(user_id__in=ids).values("applicationpermission_id")


def _by_group(rows: Rows, name: str, text: str) -> Rows:
    links = ApplicationPermissionUserGroup.objects.filter(
        usergroup_id__in=_ids(UserGroup.objects.all(), name, "name", text)
    )
    return rows.filter(pk__in=links.values("applicationpermission_id"))


def _by_system_user(rows: Rows, name: str, text: str) -> Rows:
    ids = _ids(SystemUser.objects.all(), name, "name", text)
    links = ApplicationPermissionSystemUser.objects.filter(systemuser_id__in=ids)
    return rows.filter(pk__in=links.values("applicationpermission_id"))


def _by_application(rows: Rows, name: str, text: str) -> Rows:
    ids = _ids(Application.objects.all(), name, "name", text)
    links = ApplicationPermissionApplication.objects.filter(application_id__in=ids)
    return rows.filter(pk__in=links.values("applicationpermission_id"))


def _valid_at(at: datetime) -> Q:
    return Q(is_active=True, date_start__lte=at, date_expired__gt=at)


def _effective_at(at: datetime) -> Q:
    """Valid, and names at least one subject, one application and a system user."""
    this = OuterRef("pk")
    who = Exists(ApplicationPermissionUser.objects.filter(applicationpermission=this)) | Exists(
        UserGroupMember.objects.filter(usergroup__application_permission_rows__applicationpermission=this)
    )
    what = Exists(ApplicationPermissionApplication.objects.filter(applicationpermission=this))
    as_whom = Exists(ApplicationPermissionSystemUser.objects.filter(applicationpermission=this))
    return _valid_at(at) & Q(who) & Q(what) & Q(as_whom)


def _ids(rows: QuerySet[Any], name: str, column: str, text: str) -> QuerySet[Any, Any]:
    """Ids of the objects that a filter means by id or by the column; empty when there is none."""
    if name in _BY_ID:
        parsed_id = parse_id(text)
        return (rows.filter(pk=parsed_id) if parsed_id else rows.none()).order_by().values("pk")
    return rows.filter(Q((column, text.replace("\x00", "")))).order_by().values("pk")
