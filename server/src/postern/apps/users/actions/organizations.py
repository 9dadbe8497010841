"""Organizations together with their people."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from postern.apps.orgs import facade as orgs
from postern.apps.orgs.models import Organization
from postern.apps.users.actions.holding import hold_all
from postern.apps.users.actions.memberships import add_org_role, take_org_role
from postern.apps.users.models import Membership, User
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope


@transaction.atomic
def found_organization(
    *, actor: Actor, columns: Mapping[str, Any], members: Mapping[str, Iterable[User]]
) -> Organization:
    """Found an organization. `columns`: name, comment, id; `members`: the people of each role."""
    hold_all(actor, {user.pk for people in members.values() for user in people})
    org = orgs.create_organization(
        actor=actor, name=columns["name"], comment=columns.get("comment", ""), org_id=columns.get("id")
    )
    _set_members(actor, org, members)
    return org


@transaction.atomic
def change_organization(
    *, actor: Actor, org: Organization, columns: Mapping[str, Any], members: Mapping[str, Iterable[User]]
) -> Organization:
    """Change an organization; for each role that `members` names its people become exactly these."""
    held = Membership.objects.filter(org=org, role__in=list(members)).values_list("user_id", flat=True)
    hold_all(actor, {user.pk for people in members.values() for user in people} | set(held), memberships=True)
    row = orgs.update_organization(actor=actor, org=org, name=columns.get("name"), comment=columns.get("comment"))
    _set_members(actor, row, members)
    return row


def _set_members(actor: Actor, org: Organization, members: Mapping[str, Iterable[User]]) -> None:
    scope = OrgScope(org.pk)
    # All gains before all losses: who changes from one role to another is a member all the time.
    losses: list[tuple[str, UUID]] = []
    for role, people in members.items():
        wanted = {user.pk: user for user in people}
        held = set(Membership.objects.filter(org=org, role=role).values_list("user_id", flat=True))
        for user_id in sorted(set(wanted) - held):
            add_org_role(actor=actor, scope=scope, user=wanted[user_id], role=role)
        losses += [(role, user_id) for user_id in sorted(held - set(wanted))]
    leaving = User.objects.in_bulk([user_id for _role, user_id in losses])
    for role, user_id in losses:
        take_org_role(actor=actor, scope=scope, user=leaving[user_id], role=role)
