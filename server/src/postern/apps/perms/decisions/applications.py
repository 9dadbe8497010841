"""Loads the facts about one user, one application and one system user in one SQL query, as `queries` does for assets.

The rule is the same (`decision.evaluate`). An application permission has no actions, so it gives all of them; what can
be done then is what the protocol offers.
"""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.db.models import (
    BooleanField,
    CharField,
    DateTimeField,
    Exists,
    OuterRef,
    QuerySet,
    Subquery,
    UUIDField,
)

from postern.apps.applications.facade import DECLARATIONS
from postern.apps.applications.models import Application
from postern.apps.perms.application_grants.models import (
    ApplicationPermission,
    ApplicationPermissionApplication,
    ApplicationPermissionSystemUser,
    ApplicationPermissionUser,
    ApplicationPermissionUserGroup,
)
from postern.apps.perms.decisions.decision import (
    ApplicationFacts,
    Facts,
    GrantFacts,
    Named,
    SystemUserFacts,
    UserFacts,
    Via,
)
from postern.apps.users.models import Membership, User, UserGroup
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Actions, Protocol
from postern.foundation import licensing
from postern.foundation.database.prepared import PreparedQuery

Ids = QuerySet[Any, Any]

_COLUMNS: Final = (
    "id", "name", "is_active", "date_start", "date_expired", "names_system_user", "user_is_member", "by_user",
    "by_group_id", "by_group_name", "user_name", "user_active", "user_expires", "system_user_name",
    "system_user_protocol",
)  # fmt: skip
_PARTY_COLUMNS: Final = (
    "name", "is_active", "date_expired", "system_user_name", "system_user_protocol", "user_direct", "user_by_group",
    "application_named",
)  # fmt: skip
#: Ids that no object has.
_STAND_INS: Final[Mapping[str, UUID]] = {
    "user_id": UUID("7b1c3c52-58a5-4d0e-9c67-000000000011"),
    "application_id": UUID("7b1c3c52-58a5-4d0e-9c67-000000000012"),
    "system_user_id": UUID("7b1c3c52-58a5-4d0e-9c67-000000000013"),
}


def permissions_naming_user(user_id: UUID) -> Ids:
    """Ids of the application permissions that name the user or one of their groups."""
    direct, by_group = _naming_user(user_id)
    return direct.union(by_group, all=True)


def _naming_user(user_id: UUID) -> tuple[Ids, Ids]:
    direct = ApplicationPermissionUser.objects.filter(user_id=user_id).values("applicationpermission_id")
    by_group = ApplicationPermissionUserGroup.objects.filter(usergroup__member_rows__user_id=user_id)
    return direct, by_group.values("applicationpermission_id")


def permissions_naming_application(application_id: UUID) -> Ids:
    """Ids of the application permissions that name the application."""
    rows = ApplicationPermissionApplication.objects.filter(application_id=application_id)
    return rows.values("applicationpermission_id")


def load_facts_of_application(*, user_id: UUID, application_id: UUID, system_user_id: UUID) -> Facts:
    """The facts for `decision.evaluate`. Two queries when a permission names both user and application."""
    application = Application.objects.filter(pk=application_id).only("name", "type").first()
    rows = _prepared_grants.rows(user_id=user_id, application_id=application_id, system_user_id=system_user_id)
    target = None
    protocol = Protocol.RDP  # for an application that does not exist, there is no other reason
    if application is not None:
        declaration = DECLARATIONS[application.type]
        protocol = declaration.protocol
        is_licensed = not declaration.needs_licence or licensing.is_open()
        target = ApplicationFacts(id=application.pk, name=application.name, is_licensed=is_licensed)
    if not rows:
        return _facts_without_grants(user_id, application_id, system_user_id, protocol, target)
    first = rows[0]
    user = system_user = None
    if first["user_name"] is not None:
        user = UserFacts(
            id=user_id, name=first["user_name"], is_active=first["user_active"], date_expired=first["user_expires"]
        )
    if first["system_user_name"] is not None:
        system_user = SystemUserFacts(
            id=system_user_id, name=first["system_user_name"], protocol=first["system_user_protocol"]
        )
    named = Named(application_id, target.name if target else "")
    return Facts(
        protocol=protocol,
        user=user,
        asset=None,
        system_user=system_user,
        grants=tuple(_grant(row, user_id, named) for row in rows),
        of_application=True,
        application=target,
    )


def _grants(*, user_id: UUID, application_id: UUID, system_user_id: UUID) -> QuerySet[ApplicationPermission]:
    """Permissions that name both user and application, how they name them, and the facts about user and system user."""
    this = OuterRef("pk")
    user = User.objects.filter(pk=user_id)
    system_user = SystemUser.objects.filter(pk=system_user_id)
    group = UserGroup.objects.filter(
        member_rows__user_id=user_id, application_permission_rows__applicationpermission_id=this
    ).order_by("name")
    names = ApplicationPermissionSystemUser.objects.filter(applicationpermission_id=this, systemuser_id=system_user_id)
    direct = ApplicationPermissionUser.objects.filter(applicationpermission_id=this, user_id=user_id)
    rows: QuerySet[ApplicationPermission] = (
        ApplicationPermission.objects.filter(pk__in=permissions_naming_user(user_id))
        .filter(pk__in=permissions_naming_application(application_id))
        .annotate(
            names_system_user=Exists(names),
            user_is_member=Exists(Membership.objects.filter(user_id=user_id, org_id=OuterRef("org_id"))),
            by_user=Exists(direct),
            by_group_id=Subquery(group.values("pk")[:1], output_field=UUIDField()),
            by_group_name=Subquery(group.values("name")[:1], output_field=CharField()),
            user_name=Subquery(user.values("name")[:1], output_field=CharField()),
            user_active=Subquery(user.values("is_active")[:1], output_field=BooleanField()),
            user_expires=Subquery(user.values("date_expired")[:1], output_field=DateTimeField()),
            system_user_name=Subquery(system_user.values("name")[:1], output_field=CharField()),
            system_user_protocol=Subquery(system_user.values("protocol")[:1], output_field=CharField()),
        )
        .order_by("name")
    )
    return rows


_prepared_grants: Final = PreparedQuery(_grants, stand_ins=_STAND_INS, columns=_COLUMNS)


def _grant(row: dict[str, Any], user_id: UUID, application: Named) -> GrantFacts:
    group = None if row["by_user"] or row["by_group_id"] is None else Named(row["by_group_id"], row["by_group_name"])
    return GrantFacts(
        permission=Named(row["id"], row["name"]),
        is_active=row["is_active"],
        date_start=row["date_start"],
        date_expired=row["date_expired"],
        actions=Actions.ALL.value,
        names_system_user=row["names_system_user"],
        user_is_member=row["user_is_member"],
        via=Via(
            user=Named(user_id, row["user_name"] or "") if row["by_user"] else None,
            user_group=group,
            application=application,
        ),
    )


def _parties(*, user_id: UUID, application_id: UUID, system_user_id: UUID) -> QuerySet[User]:
    """The user, with the facts about the system user and whether permissions name the user and the application."""
    system_user = SystemUser.objects.filter(pk=system_user_id)
    direct, by_group = _naming_user(user_id)
    rows: QuerySet[User] = (
        User.objects.filter(pk=user_id)
        .order_by()
        .annotate(
            system_user_name=Subquery(system_user.values("name")[:1], output_field=CharField()),
            system_user_protocol=Subquery(system_user.values("protocol")[:1], output_field=CharField()),
            user_direct=Exists(direct),
            user_by_group=Exists(by_group),
            application_named=Exists(permissions_naming_application(application_id)),
        )
    )
    return rows


_prepared_parties: Final = PreparedQuery(_parties, stand_ins=_STAND_INS, columns=_PARTY_COLUMNS)


def _facts_without_grants(
    user_id: UUID, application_id: UUID, system_user_id: UUID, protocol: Protocol, target: ApplicationFacts | None
) -> Facts:
    rows = _prepared_parties.rows(user_id=user_id, application_id=application_id, system_user_id=system_user_id)
    user = system_user = None
    user_is_named = False
    if rows:
        [row] = rows
        user_is_named, is_named = row["user_direct"] or row["user_by_group"], row["application_named"]
        user = UserFacts(id=user_id, name=row["name"], is_active=row["is_active"], date_expired=row["date_expired"])
        if row["system_user_name"] is not None:
            system_user = SystemUserFacts(
                id=system_user_id, name=row["system_user_name"], protocol=row["system_user_protocol"]
            )
    else:
        is_named = permissions_naming_application(application_id).exists()
        stored = SystemUser.objects.filter(pk=system_user_id).first()
        system_user = stored and SystemUserFacts(id=stored.pk, name=stored.name, protocol=stored.protocol)
    return Facts(
        protocol=protocol,
        user=user,
        asset=None,
        system_user=system_user,
        grants=(),
        of_application=True,
        application=target,
        user_is_named=user_is_named,
        asset_is_named=is_named,
    )
