"""Reading the log, and proving that nobody bent it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from postern.apps.audits import checkpoints, digest
from postern.apps.audits.models import AuditChain, AuditEvent, LoginLog


class FaultKind(StrEnum):
    """What is wrong with a chain."""

    EDITED = "edited"  # the digest does not fit the columns
    MISSING = "missing"  # a number was skipped
    BROKEN_LINK = "broken_link"  # the row does not follow the one before it: inserted or moved
    TRUNCATED = "truncated"  # the chain ends before its head
    UNANCHORED = "unanchored"  # rows beyond the head, or no head at all
    LOGIN_EDITED = "login_edited"  # a row of the login log differs from its event
    LOGIN_MISSING = "login_missing"  # a row of the login log is gone
    LOGIN_INSERTED = "login_inserted"  # a row of the login log has no event
    ROLLED_BACK = "rolled_back"  # a checkpoint outside the database knows of more, or of other events
    CHECKPOINT_ALTERED = "checkpoint_altered"  # a line of the checkpoint file was changed


@dataclass(frozen=True, slots=True)
class Fault:
    """One place where the log is not what was written."""

    org_id: UUID | None
    sequence: int
    kind: FaultKind

    def __str__(self) -> str:
        return f"{self.kind} at {self.org_id or 'the login log'} #{self.sequence}"


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """Outcome of a verification: how many events were read, and what is wrong."""

    checked: int
    faults: tuple[Fault, ...]


def verify_log() -> VerificationReport:
    """Verify everything."""
    faults = tuple(verify())
    return VerificationReport(AuditEvent.objects.count(), faults)


def verify() -> Iterator[Fault]:
    """Every fault of all chains; nothing when the log is whole. Reads all rows once, in constant memory."""
    heads = {chain.org_id: chain for chain in AuditChain.objects.all()}
    known = set(AuditEvent.objects.order_by().values_list("org_id", flat=True).distinct())
    for org_id in sorted(known | set(heads)):
        yield from _verify_chain(org_id, heads.get(org_id))
    yield from _verify_logins()
    yield from _verify_checkpoints()


def _verify_chain(org_id: UUID, head: AuditChain | None) -> Iterator[Fault]:
    expected, previous = 1, digest.GENESIS
    for event in AuditEvent.objects.filter(org_id=org_id).order_by("sequence").iterator(chunk_size=2_000):
        if event.sequence != expected:
            yield Fault(org_id, expected, FaultKind.MISSING)
        elif event.previous != previous:
            yield Fault(org_id, event.sequence, FaultKind.BROKEN_LINK)
        if digest.of_event(event) != event.digest:
            yield Fault(org_id, event.sequence, FaultKind.EDITED)
        expected, previous = event.sequence + 1, event.digest
    last = expected - 1
    if head is None:
        yield Fault(org_id, last, FaultKind.UNANCHORED)
    elif head.sequence > last:
        yield Fault(org_id, head.sequence, FaultKind.TRUNCATED)
    elif head.sequence < last or head.digest != previous:
        yield Fault(org_id, last, FaultKind.UNANCHORED)


def _verify_logins() -> Iterator[Fault]:
    events = AuditEvent.objects.filter(resource_type="LoginLog").order_by("sequence")
    seen: set[str] = set()
    for event in events.iterator(chunk_size=2_000):
        seen.add(event.resource_id)
        row = LoginLog.objects.filter(pk=event.resource_id).first()
        if row is None:
            yield Fault(event.org_id, event.sequence, FaultKind.LOGIN_MISSING)
        elif row.covered_values() != event.new:
            yield Fault(event.org_id, event.sequence, FaultKind.LOGIN_EDITED)
    for key in LoginLog.objects.order_by().values_list("pk", flat=True).iterator(chunk_size=2_000):
        if str(key) not in seen:
            yield Fault(None, 0, FaultKind.LOGIN_INSERTED)


def _verify_checkpoints() -> Iterator[Fault]:
    highest: dict[UUID, tuple[int, str]] = {}
    for number, checkpoint in enumerate(checkpoints.read(), start=1):
        if checkpoint is None:
            yield Fault(None, number, FaultKind.CHECKPOINT_ALTERED)
            continue
        for org_id, head in checkpoint.heads.items():
            highest[org_id] = max(head, highest.get(org_id, head))
    for org_id, (sequence, expected) in highest.items():
        found = AuditEvent.objects.filter(org_id=org_id, sequence=sequence).values_list("digest", flat=True).first()
        if found != expected:
            yield Fault(org_id, sequence, FaultKind.ROLLED_BACK)
