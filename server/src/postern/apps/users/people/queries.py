"""Reads of users: by organization, by role, and locked users."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Concat

from postern.apps.orgs.roles import OrgRole
from postern.apps.users.accounts.errors import AboveYou
from postern.apps.users.accounts.models import Membership, SystemRole, User, UserQuerySet
from postern.apps.users.accounts.policy import may_update
from postern.apps.users.accounts.queries import administered_org_ids, subject_of
from postern.apps.users.people import login_locks
from postern.apps.users.people.errors import UnknownUser
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope


def people_in(scope: OrgScope) -> UserQuerySet:
    """All users in the root organization, the members in any other."""
    return User.objects.all() if scope.is_root else User.objects.members_of(scope.org_id)


def changeable(actor: Actor, scope: OrgScope, user_id: UUID) -> User:
    """The user of the organization, if the actor may change them. Raises UnknownUser or AboveYou."""
    user = people_in(scope).filter(pk=user_id).first()
    if user is None:
        raise UnknownUser
    if not may_update(actor, subject_of(user, scope, administered_org_ids(actor))):
        raise AboveYou
    return user


def usernames_in(scope: OrgScope) -> QuerySet[Any]:
    """Login names of `people_in`, as one column."""
    return people_in(scope).order_by().values_list("username")


def labels_in(scope: OrgScope) -> QuerySet[Any]:
    """`Name(username)` of `people_in`, as one column."""
    label = Concat("name", Value("("), "username", Value(")"))
    return people_in(scope).order_by().annotate(label=label).values_list("label")


def people_known_to(actor: Actor) -> UserQuerySet:
    """Users whose names an administrator may see: the members of the organizations that they administer."""
    if actor.is_super_user:
        return User.objects.all()
    members = Membership.objects.filter(org_id__in=administered_org_ids(actor))
    return User.objects.filter(pk__in=members.values("user_id"))


def with_role(people: UserQuerySet, scope: OrgScope, role: str) -> UserQuerySet:
    """The filter `system_or_org_role` of the contract; unknown values match no user."""
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
    """The filter `org_role` of the contract: admins (including system administrators), auditors, users, members."""
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
    """A user whose name is locked by failed sign-ins."""

    user: User
    locked_until: datetime
    can_unlock: bool


def locked_people(people: QuerySet[User], actor: Actor, scope: OrgScope, *, limit: int) -> list[LockedPerson]:
    """Locked users among these, sorted by the end of the lock, latest first; at most `limit`."""
    until = login_locks.locked_until(list(people.values_list("username", flat=True)))
    names = sorted(until, key=lambda name: until[name], reverse=True)[:limit]
    administered = administered_org_ids(actor)
    rows = [
        LockedPerson(
            user=user,
            locked_until=until[user.username],
            can_unlock=user.pk != actor.user_id
            and may_update(actor, subject_of(user, scope, administered, user.memberships.all())),
        )
        for user in people.filter(username__in=names).prefetch_related("memberships")
    ]
    return sorted(rows, key=lambda row: row.locked_until, reverse=True)
