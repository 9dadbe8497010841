"""The members of organizations, as `orgs` requires them in `people.PEOPLE`."""

from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from postern.apps.orgs import people
from postern.apps.orgs.models import Organization
from postern.apps.orgs.roles import OrgRole
from postern.apps.users.accounts.holding import hold_all
from postern.apps.users.accounts.models import Membership, User
from postern.apps.users.memberships.actions import add_org_role, take_org_role
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope


def _hold(actor: Actor, org_id: UUID | None, members: people.Members) -> None:
    named = {user.pk for chosen in members.values() for user in chosen}
    if org_id is None:
        hold_all(actor, named)
        return
    held = Membership.objects.filter(org_id=org_id, role__in=list(members)).values_list("user_id", flat=True)
    hold_all(actor, named | set(held), memberships=True)


@transaction.atomic
def _assign(actor: Actor, org_id: UUID, members: people.Members) -> None:
    scope = OrgScope(org_id)
    # Add roles before removing others, so that a user who changes roles remains a member throughout.
    losses: list[tuple[OrgRole, UUID]] = []
    for role, chosen in members.items():
        wanted = {user.pk: user for user in chosen}
        held = set(Membership.objects.filter(org_id=org_id, role=role).values_list("user_id", flat=True))
        for user_id in sorted(set(wanted) - held):
            add_org_role(actor=actor, scope=scope, user=wanted[user_id], role=role)
        losses += [(role, user_id) for user_id in sorted(held - set(wanted))]
    leaving = User.objects.in_bulk([user_id for _role, user_id in losses])
    for role, user_id in losses:
        take_org_role(actor=actor, scope=scope, user=leaving[user_id], role=role)


def _beside(rows: QuerySet[Organization]) -> QuerySet[Organization]:
    return rows.prefetch_related("memberships")


def _in_role(org: Organization, role: OrgRole) -> list[UUID]:
    return [row.user_id for row in org.memberships.all() if row.role == role]


PEOPLE: Final = people.People(hold=_hold, assign=_assign, beside=_beside, in_role=_in_role)
