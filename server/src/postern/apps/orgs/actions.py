"""Writes of organizations. The handlers of higher apps run in the same transaction (see `tenancy`)."""

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.orgs import people, queries, tenancy
from postern.apps.orgs.errors import NameRefused, current_stays, default_stays, still_owns
from postern.apps.orgs.models import Organization
from postern.foundation.caller import identity
from postern.foundation.caller.actor import SYSTEM, Actor
from postern.foundation.caller.scope import OrgScope
from postern.kernel.ids import DEFAULT_ORG_ID, parse_id

DEFAULT_NAME = "Default"


@transaction.atomic
def ensure_default_organization() -> None:
    """Create the default organization, which every installation has."""
    org, created = Organization.objects.get_or_create(
        id=DEFAULT_ORG_ID, defaults={"name": DEFAULT_NAME, "created_by": SYSTEM.label}
    )
    if created:
        audits.record_change(actor=SYSTEM, action="create", target=org, new={"name": org.name})


@transaction.atomic
def create_organization(
    *, actor: Actor, name: str, comment: str = "", org_id: UUID | None = None, members: people.Members | None = None
) -> Organization:
    """Create an organization with its members and the rows that every organization has (a root node …).

    Raises NameRefused.
    """
    people.PEOPLE.value.hold(actor, None, members or {})
    _check_name(name, None)
    org = Organization(name=name, comment=comment, created_by=actor.label[:128])
    if org_id is not None:
        org.pk = org_id
    org.save(force_insert=True)
    for lifecycle in tenancy.LIFECYCLES.value:
        lifecycle.named(actor, org.pk, name)
    audits.record_change(actor=actor, action="create", target=org, new={"name": name, "comment": comment})
    people.PEOPLE.value.assign(actor, org.pk, members or {})
    return org


@transaction.atomic
def update_organization(
    *,
    actor: Actor,
    org: Organization,
    name: str | None = None,
    comment: str | None = None,
    members: people.Members | None = None,
) -> Organization:
    """Change name, comment and members; None keeps a value. Raises NameRefused.

    For each role that `members` names, exactly these users have the role afterwards.
    """
    people.PEOPLE.value.hold(actor, org.pk, members or {})
    row = Organization.objects.select_for_update().get(pk=org.pk)
    old = {"name": row.name, "comment": row.comment}
    if name is not None and name != row.name:
        _check_name(name, row.pk)
        row.name = name
        for lifecycle in tenancy.LIFECYCLES.value:
            lifecycle.named(actor, row.pk, name)
    if comment is not None:
        row.comment = comment
    new = {"name": row.name, "comment": row.comment}
    changed = [key for key in new if new[key] != old[key]]
    if changed:
        row.save()
        audits.record_change(
            actor=actor,
            action="update",
            target=row,
            old={key: old[key] for key in changed},
            new={key: new[key] for key in changed},
        )
    people.PEOPLE.value.assign(actor, row.pk, members or {})
    return row


@transaction.atomic
def delete_organization(*, actor: Actor, scope: OrgScope, org: Organization) -> None:
    """Delete an empty organization. Raises OrganizationStays, which names the remaining objects.

    Sessions and audit records of the organization stay visible in the global organization.
    """
    row = Organization.objects.select_for_update().get(pk=org.pk)
    if row.is_default:
        raise default_stays()
    if row.pk == scope.org_id:
        raise current_stays()
    keeping = [holding for holding in tenancy.HOLDINGS.value if holding.keeps]
    held = tenancy.counts(keeping, [row.pk])[row.pk]
    if held:
        things = [f"{keeping[number].label} ({amount})" for number, amount in sorted(held.items())]
        raise still_owns(", ".join(things))
    for lifecycle in reversed(tenancy.LIFECYCLES.value):
        lifecycle.dissolved(actor, row.pk)
    recorded.delete_row(actor=actor, row=row, old={"name": row.name, "comment": row.comment})


def _check_name(name: str, org_id: UUID | None) -> None:
    """A name must be unambiguous, because `X-JMS-ORG` accepts names, ids and two aliases."""
    meant = queries.ALIASES.get(name.lower())
    if (meant is not None and meant != org_id) or parse_id(name) is not None or name == identity.root_org_name():
        raise NameRefused(_("This name is reserved. Choose another name."))
    others = Organization.objects.filter(name=name)
    if (others if org_id is None else others.exclude(pk=org_id)).exists():
        raise NameRefused(_("This field must be unique."))
