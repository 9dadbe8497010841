"""Reachable applications, computed from the permission tables.

An application is reachable when a valid permission names it together with a system user that speaks its protocol, and
its type needs no licence or a licence exists. This matches `decision.evaluate`: an application is reachable exactly
when the decision for some system user is allow.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from postern.apps.applications import facade as applications
from postern.apps.applications.models import Application
from postern.apps.perms.application_grants.models import (
    ApplicationPermissionApplication,
    ApplicationPermissionSystemUser,
    ApplicationPermissionUserGroup,
)
from postern.apps.perms.decisions.applications import permissions_naming_user
from postern.apps.perms.granted.reach import Who
from postern.apps.users.models import Membership, User
from postern.apps.vault.models import SystemUser
from postern.foundation import licensing
from postern.foundation.database.prepared import PreparedQuery

Ids = QuerySet[Any, Any]

_COLUMNS: Final = (
    "applicationpermission_id", "applicationpermission__type", "systemuser__protocol", "applicationpermission__org_id",
)  # fmt: skip
#: Placeholder of the instant at which grants are valid.
_INSTANT: Final = datetime(1999, 1, 1, tzinfo=UTC)


class ApplicationReach:
    """The application permissions of a user or group that are valid at one instant. Loads with one query."""

    def __init__(self, who: Who, at: datetime) -> None:
        is_licensed = licensing.is_open()
        self.permission_ids: Final = {
            permission_id
            for permission_id, kind, protocol in _grants(who, at)
            if applications.DECLARATIONS[kind].protocol == protocol
            and (is_licensed or not applications.DECLARATIONS[kind].needs_licence)
        }

    def applications(self) -> QuerySet[Application]:
        """The reachable applications, composed from the permissions. The cost grows with their number."""
        rows: QuerySet[Application] = Application.objects.filter(pk__in=self._links.values("application_id"))
        return rows

    def among(self, rows: QuerySet[Application]) -> QuerySet[Application]:
        """The reachable rows of `rows`. Each row is checked, so the cost does not grow with the number of reachable
        applications.
        """
        return rows.filter(Exists(self._links.filter(application_id=OuterRef("pk"))))

    def is_wider_than(self, number: int) -> bool:
        """Whether the permissions name more applications, some perhaps more than once. Reads at most `number` + 1."""
        return self._links.order_by()[: number + 1].count() > number

    @property
    def _links(self) -> Ids:
        return ApplicationPermissionApplication.objects.filter(applicationpermission_id__in=self.permission_ids)

    def usable(self, application: Application) -> list[SystemUser]:
        """The system users that may be used on the application, highest priority first (S5-026). One query."""
        links = self._links.filter(application=application)
        named = ApplicationPermissionSystemUser.objects.filter(
            applicationpermission_id__in=links.values("applicationpermission_id")
        )
        rows = SystemUser.objects.filter(
            pk__in=named.values("systemuser_id"), protocol=application.declaration.protocol
        )
        return list(rows.order_by("-priority", "name", "pk"))


def _grants(who: Who, at: datetime) -> Iterable[tuple[UUID, str, str]]:
    """(permission, its type, protocol of one of its system users) for the valid permissions."""
    if who.group_id is not None:
        rows = _grants_of_group().tuples(group_id=who.group_id, at=at)
    elif who.user_id is not None:
        rows = _grants_of_user().tuples(user_id=who.user_id, at=at)
    else:
        rows = []
    # Compare the organization in Python: SQLite would use its index and read all permissions of the organization.
    return (
        (permission_id, kind, protocol)
        for permission_id, kind, protocol, org_id in rows
        if who.org_id in {None, org_id}
    )


@cache
def _grants_of_user() -> PreparedQuery:
    def build(user_id: UUID, at: datetime) -> Ids:
        is_unexpired = Q(date_expired__isnull=True) | Q(date_expired__gt=at)
        members = Membership.objects.filter(user_id=user_id, org_id=OuterRef("applicationpermission__org_id"))
        return _valid_at(at).filter(
            Exists(User.objects.filter(is_unexpired, pk=user_id, is_active=True)),
            Exists(members),
            applicationpermission_id__in=permissions_naming_user(user_id),
        )

    return PreparedQuery(build, stand_ins={"user_id": UUID(int=1), "at": _INSTANT}, columns=_COLUMNS)


@cache
def _grants_of_group() -> PreparedQuery:
    def build(group_id: UUID, at: datetime) -> Ids:
        named = ApplicationPermissionUserGroup.objects.filter(usergroup_id=group_id)
        return _valid_at(at).filter(applicationpermission_id__in=named.values("applicationpermission_id"))

    return PreparedQuery(build, stand_ins={"group_id": UUID(int=1), "at": _INSTANT}, columns=_COLUMNS)


def _valid_at(at: datetime) -> Ids:
    """System users of the permissions that are valid at this instant."""
    return ApplicationPermissionSystemUser.objects.filter(
        applicationpermission__is_active=True,
        applicationpermission__date_start__lte=at,
        applicationpermission__date_expired__gt=at,
    ).distinct()
