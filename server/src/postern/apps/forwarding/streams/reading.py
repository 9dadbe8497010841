"""Reads the audit log behind a position.

The chain of an organization has no gaps, and its numbers are given in the order of commits, because its head is locked while
an event is appended. So a position misses nothing, which a time would: transactions commit in another order than their
clocks say.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from postern.apps.audits import facade as audits
from postern.apps.audits.models import AuditEvent
from postern.apps.forwarding.streams.models import AuditPosition, AuditStream

Positions = Mapping[UUID, int]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Events in the order of their chains, and the positions behind them."""

    events: tuple[AuditEvent, ...]
    positions: Positions


def positions_of(stream: AuditStream) -> Positions:
    """The position in each chain. A chain that the stream has not met begins where the stream was started."""
    known = dict(AuditPosition.objects.filter(stream=stream).values_list("org_id", "sequence"))
    return {
        org_id: known[org_id] if org_id in known else audits.sequence_before(org_id, stream.date_started)
        for org_id in audits.heads()
    }


def begin_chains(stream: AuditStream) -> None:
    """Store a position for the chains that the stream has not met, so that their start is looked up once."""
    known = set(AuditPosition.objects.filter(stream=stream).values_list("org_id", flat=True))
    for org_id in audits.heads():
        if org_id not in known:
            start = audits.sequence_before(org_id, stream.date_started)
            AuditPosition.objects.get_or_create(stream=stream, org_id=org_id, defaults={"sequence": start})


def read_on(positions: Positions, most: int) -> Chunk:
    """At most this number of events behind the positions."""
    events: list[AuditEvent] = []
    reached = dict(positions)
    for org_id, head in sorted(audits.heads().items()):
        if len(events) >= most or head <= reached.get(org_id, 0):
            continue
        some = audits.events_behind(org_id, reached.get(org_id, 0), most - len(events))
        if some:
            events += some
            reached[org_id] = some[-1].sequence
    return Chunk(tuple(events), reached)


def store(stream: AuditStream, positions: Positions, before: Positions) -> None:
    """Store the positions that have changed."""
    for org_id, sequence in positions.items():
        if before.get(org_id) != sequence:
            AuditPosition.objects.update_or_create(stream=stream, org_id=org_id, defaults={"sequence": sequence})


def go_back(stream: AuditStream, moment: datetime) -> None:
    """Move the positions back to this moment, so that what was sent since is sent again; not behind the start."""
    moment = max(moment, stream.date_started)
    for row in AuditPosition.objects.filter(stream=stream):
        earlier = audits.sequence_before(row.org_id, moment)
        if earlier < row.sequence:
            AuditPosition.objects.filter(pk=row.pk, sequence=row.sequence).update(sequence=earlier)


def behind(stream: AuditStream) -> int:
    """The number of events that the stream is not done with."""
    positions = positions_of(stream)
    return sum(max(head - positions.get(org_id, 0), 0) for org_id, head in audits.heads().items())
