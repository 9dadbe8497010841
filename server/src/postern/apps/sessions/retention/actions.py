"""The days for which an organization keeps its sessions."""

from uuid import UUID

from postern.apps.audits import facade as audits
from postern.apps.orgs import facade as orgs
from postern.apps.sessions.recordings import keeping
from postern.apps.sessions.recordings.models import OrganizationRetention
from postern.apps.sessions.retention import policy
from postern.apps.sessions.sessions.actions import holds
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction


@write_transaction()
def choose_days(*, actor: Actor, org_id: UUID, days: int | None) -> None:
    """Keep the sessions of the organization for so many days; None: as the setting says. Raises DaysBeyondLimits."""
    holds.take_turn()  # retention does not run meanwhile, and no second row is created
    if days is not None:
        policy.require_within(keeping.limits(), days)
    row = OrganizationRetention.objects.filter(org_id=org_id).first()
    former = None if row is None else row.days
    if former == days:
        return
    if days is not None:
        OrganizationRetention.objects.update_or_create(org_id=org_id, defaults={"days": days})
    elif row is not None:
        row.delete()
    audits.record(
        actor=actor,
        org_id=org_id,
        event=audits.Event.RETENTION_CHANGED,
        action="update",
        object_type="Organization",
        object_id=str(org_id),
        object_name=orgs.name_of(org_id),
        old={"days": former},
        new={"days": days},
    )
