"""Reads for those who follow the log: heads of the chains, and the events behind a position."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.db.models import F, Min

from postern.apps.audits.models import AuditChain, AuditEvent


def heads() -> Mapping[UUID, int]:
    """The sequence number of the newest event of every organization's chain."""
    return dict(AuditChain.objects.order_by().values_list("org_id", "sequence"))


def events_behind(org_id: UUID, sequence: int, most: int) -> list[AuditEvent]:
    """At most this number of events of a chain behind a sequence number, in their order."""
    return list(AuditEvent.objects.filter(org_id=org_id, sequence__gt=sequence).order_by("sequence")[:most])


def sequence_before(org_id: UUID, moment: datetime) -> int:
    """The position before the first event at or after a moment; the last position when there is none.

    By position and not by time, because the clock may have been set back: no event at or after the moment is left out.
    """
    rows = AuditEvent.objects.filter(org_id=org_id)
    # The sum keeps databases from walking along the chain: they read the index of instants from the moment on.
    first = rows.filter(datetime__gte=moment).order_by().aggregate(first=Min(F("sequence") + 0))["first"]
    if first is not None:
        return int(first) - 1
    return rows.order_by("-sequence").values_list("sequence", flat=True).first() or 0


def last_before(org_id: UUID, moment: datetime) -> int:
    """The position of the last event whose instant is before a moment; 0 when there is none.

    Reads the chain back from its end.
    """
    rows = AuditEvent.objects.filter(org_id=org_id, datetime__lt=moment).order_by("-sequence")
    return rows.values_list("sequence", flat=True).first() or 0
