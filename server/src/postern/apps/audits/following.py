"""Reads for those who follow the log: heads of the chains, and the events behind a position."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from postern.apps.audits.models import AuditChain, AuditEvent


def heads() -> Mapping[UUID, int]:
    """The sequence number of the newest event of every organization's chain."""
    return dict(AuditChain.objects.order_by().values_list("org_id", "sequence"))


def events_behind(org_id: UUID, sequence: int, most: int) -> list[AuditEvent]:
    """At most this number of events of a chain behind a sequence number, in their order."""
    return list(AuditEvent.objects.filter(org_id=org_id, sequence__gt=sequence).order_by("sequence")[:most])


def sequence_before(org_id: UUID, moment: datetime) -> int:
    """The sequence number of the last event before a moment; 0 when there is none. Reads one entry of an index."""
    rows = AuditEvent.objects.filter(org_id=org_id, datetime__lt=moment).order_by("-datetime")
    return rows.values_list("sequence", flat=True).first() or 0
