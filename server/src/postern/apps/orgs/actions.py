"""Writes of organizations."""

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.orgs.models import Organization
from postern.foundation.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID

DEFAULT_NAME = "Default"


@transaction.atomic
def ensure_default_organization() -> None:
    """Part of every installation: the default organization exists."""
    org, created = Organization.objects.get_or_create(
        id=DEFAULT_ORG_ID, defaults={"name": DEFAULT_NAME, "created_by": SYSTEM.label}
    )
    if created:
        audits.record_change(actor=SYSTEM, action="create", target=org, new={"name": org.name})
