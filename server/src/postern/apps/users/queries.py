"""Reads of the users app."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Concat

from postern.apps.orgs.roles import OrgRole
from postern.apps.users import login_locks
from postern.apps.users.models import Invitation, InvitationQuerySet, Membership, SystemRole, User, UserQuerySet
from postern.apps.users.policy import Subject, may_update
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database.prepared import PreparedQuery


@dataclass(frozen=True, slots=True)
class OrgRoles:
    """The roles that one person holds in one organization."""

    org_id: UUID
    roles: frozenset[str]


def org_roles_of(user_id: UUID) -> tuple[OrgRoles, ...]:
    """All memberships of a person, by organization."""
    found: dict[UUID, set[str]] = {}
    for org_id, role in _memberships().tuples(user_id=user_id):
        found.setdefault(org_id, set()).add(role)
    return tuple(OrgRoles(org_id=org_id, roles=frozenset(roles)) for org_id, roles in sorted(found.items()))


@cache
def _memberships() -> PreparedQuery:
    """Organization and role, by person: every request asks for them."""
    return PreparedQuery(
        lambda user_id: Membership.objects.filter(user_id=user_id).order_by(),
        stand_ins={"user_id": UUID(int=1)},
        columns=("org_id", "role"),
    )


def administered_org_ids(actor: Actor) -> frozenset[UUID]:
    """Organizations in which the actor holds the role Admin."""
    if actor.user_id is None:
        return frozenset()
    rows = Membership.objects.filter(user_id=actor.user_id, role=OrgRole.ADMIN)
    return frozenset(rows.values_list("org_id", flat=True))


def people_in(scope: OrgScope) -> UserQuerySet:
    """Everybody in the root organization, the members in any other."""
    return User.objects.all() if scope.is_root else User.objects.members_of(scope.org_id)


def usernames_in(scope: OrgScope) -> QuerySet[Any]:
    """The login names of `people_in`, as one column."""
    return people_in(scope).order_by().values_list("username")


def labels_in(scope: OrgScope) -> QuerySet[Any]:
    """`Name(username)` of `people_in`, as one column."""
    label = Concat("name", Value("("), "username", Value(")"))
    return people_in(scope).order_by().annotate(label=label).values_list("label")


def people_known_to(actor: Actor) -> UserQuerySet:
    """Whom an administrator may be shown by name: the people of organizations that they administer."""
    if actor.is_super_user:
        return User.objects.all()
    members = Membership.objects.filter(org_id__in=administered_org_ids(actor))
    return User.objects.filter(pk__in=members.values("user_id"))


def invitations_sent(scope: OrgScope) -> InvitationQuerySet:
    """Invitations of the organization that still wait for an answer, as far as it can tell; of all in the root."""
    rows = Invitation.objects.waiting()
    return rows if scope.is_root else rows.filter(org_id=scope.org_id)


def invitations_to(actor: Actor) -> InvitationQuerySet:
    """Invitations that the caller can accept or decline."""
    rows = Invitation.objects.open().select_related("org", "user")
    return rows.none() if actor.user_id is None else rows.filter(user_id=actor.user_id)


def invitations_of_members(scope: OrgScope) -> InvitationQuerySet:
    """Invitations of members of the organization into others, to which its administrators can consent.

    Not those of super administrators and auditors: they stand above every administrator of an organization (K60).
    """
    rows = Invitation.objects.open().exclude(org_id=scope.org_id).filter(user__role=SystemRole.USER)
    if scope.is_root:
        return rows.none()
    members = Membership.objects.filter(org_id=scope.org_id)
    return rows.filter(user_id__in=members.values("user_id")).select_related("org", "user")


def with_role(people: UserQuerySet, scope: OrgScope, role: str) -> UserQuerySet:
    """Filter `system_or_org_role` of the contract; unknown values match nobody."""
    in_org = Membership.objects.all() if scope.is_root else Membership.objects.filter(org_id=scope.org_id)
    match role:
        case "system_admin":
            return people.filter(role=SystemRole.ADMIN)
        case "system_auditor":
            return people.filter(role=SystemRole.AUDITOR)
        case "org_admin":
            return people.filter(pk__in=in_org.filter(role=OrgRole.ADMIN).values("user_id"))
        case "org_auditor":
            return people.filter(pk__in=in_org.filter(role=OrgRole.AUDITOR).values("user_id"))
        case "user":
            members = in_org.filter(role=OrgRole.USER).values("user_id")
            return people.filter(Q(role=SystemRole.USER) | Q(pk__in=members))
        case _:
            return people.none()


def with_org_role(people: UserQuerySet, scope: OrgScope, kind: str) -> UserQuerySet:
    """Filter `org_role` of the contract: admins (system administrators too), auditors, users, members."""
    in_org = Membership.objects.filter(org_id=scope.org_id)
    match kind:
        case "admins":
            admins = in_org.filter(role=OrgRole.ADMIN).values("user_id")
            return people.filter(Q(role=SystemRole.ADMIN) | Q(pk__in=admins))
        case "auditors":
            return people.filter(pk__in=in_org.filter(role=OrgRole.AUDITOR).values("user_id"))
        case "users":
            return people.filter(pk__in=in_org.filter(role=OrgRole.USER).values("user_id"))
        case "members":
            return people.filter(pk__in=in_org.values("user_id"))
        case _:
            return people.none()


@dataclass(frozen=True, slots=True)
class LockedPerson:
    """Somebody whose name failed sign-ins have locked."""

    user: User
    locked_until: datetime
    can_unlock: bool


def locked_people(people: QuerySet[User], actor: Actor, scope: OrgScope, *, limit: int) -> list[LockedPerson]:
    """Who of these is locked now, the one locked longest first; at most `limit`."""
    until = login_locks.locked_until(list(people.values_list("username", flat=True)))
    names = sorted(until, key=lambda name: until[name], reverse=True)[:limit]
    administered = administered_org_ids(actor)
    rows = [
        LockedPerson(
            user=user,
            locked_until=until[user.username],
            can_unlock=user.pk != actor.user_id
            and may_update(actor, subject_of(user, scope, user.memberships.all(), administered)),
        )
        for user in people.filter(username__in=names).prefetch_related("memberships")
    ]
    return sorted(rows, key=lambda row: row.locked_until, reverse=True)


def subject_of(
    user: User, scope: OrgScope, memberships: Iterable[Membership], administered: frozenset[UUID]
) -> Subject:
    """What the rules need to know about `user`; `memberships` are all of his rows."""
    rows = list(memberships)
    return Subject(
        user_id=user.pk,
        system_role=user.role,
        is_org_admin=any(row.org_id == scope.org_id and row.role == OrgRole.ADMIN for row in rows),
        is_built_in_admin=user.is_built_in_admin,
        is_shared=any(row.org_id not in administered for row in rows),
    )
