"""List filters of application permissions: by the objects they name, directly or through groups."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from django.db.models import QuerySet

from postern.apps.applications import facade as applications
from postern.apps.perms.application_grants.links import APPLICATIONS, SYSTEM_USERS, USER_GROUPS, USERS
from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.perms.application_permissions.kind import APPLICATION_PERMISSIONS
from postern.apps.perms.granting import filters
from postern.apps.perms.granting.filters import ObjectFilter
from postern.foundation import licensing

_FILTERS: Final = (
    filters.of_users(USERS, USER_GROUPS),
    filters.of_user_groups(USER_GROUPS),
    filters.of_system_users(SYSTEM_USERS),
    ObjectFilter(APPLICATIONS, {"application_id": "pk", "app": "pk", "application": "name", "app_name": "name"}),
)
#: Names of the filters, for the API description.
FILTERS: Final = (*(name for definition in _FILTERS for name in definition.columns), *filters.STATES)


def narrowed(
    rows: QuerySet[ApplicationPermission], params: Mapping[str, str], at: datetime
) -> QuerySet[ApplicationPermission]:
    """The rows that match the filters of one request at an instant."""
    return filters.narrowed(APPLICATION_PERMISSIONS, _FILTERS, rows, params, at)


def open_permissions(rows: QuerySet[ApplicationPermission]) -> QuerySet[ApplicationPermission]:
    """The permissions that may be shown now: those for remote apps need a licence."""
    return rows if licensing.is_open() else rows.exclude(category=applications.Category.REMOTE_APP)
