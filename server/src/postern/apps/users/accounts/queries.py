"""Loads the facts that the rules need about a user and about the caller."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from postern.apps.orgs.roles import OrgRole
from postern.apps.users.accounts.models import Membership, User
from postern.apps.users.accounts.policy import Subject
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database.prepared import PreparedQuery


@dataclass(frozen=True, slots=True)
class OrgRoles:
    """The roles of one user in one organization."""

    org_id: UUID
    roles: frozenset[str]


def org_roles_of(user_id: UUID) -> tuple[OrgRoles, ...]:
    """All memberships of a user, by organization."""
    roles_by_org: dict[UUID, set[str]] = {}
    for org_id, role in _memberships().tuples(user_id=user_id):
        roles_by_org.setdefault(org_id, set()).add(role)
    return tuple(OrgRoles(org_id=org_id, roles=frozenset(roles)) for org_id, roles in sorted(roles_by_org.items()))


@cache
def _memberships() -> PreparedQuery:
    """Organization and role, by user. Prepared, because every request needs it."""
    return PreparedQuery(
        lambda user_id: Membership.objects.filter(user_id=user_id).order_by(),
        stand_ins={"user_id": UUID(int=1)},
        columns=("org_id", "role"),
    )


def administered_org_ids(actor: Actor) -> frozenset[UUID]:
    """Organizations in which the actor has the role Admin."""
    if actor.user_id is None:
        return frozenset()
    rows = Membership.objects.filter(user_id=actor.user_id, role=OrgRole.ADMIN)
    return frozenset(rows.values_list("org_id", flat=True))


def subject_of(
    user: User, scope: OrgScope, memberships: Iterable[Membership], administered: frozenset[UUID]
) -> Subject:
    """The facts about `user` for the rules; `memberships` are all rows of the user."""
    rows = list(memberships)
    return Subject(
        user_id=user.pk,
        system_role=user.role,
        is_org_admin=any(row.org_id == scope.org_id and row.role == OrgRole.ADMIN for row in rows),
        is_built_in_admin=user.is_built_in_admin,
        is_shared=any(row.org_id not in administered for row in rows),
    )
