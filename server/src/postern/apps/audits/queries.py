"""Reading the log and verifying its integrity."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID

from django.db.models import Max, Min

from postern.apps.audits import checkpoint_file, digest, public_chain, reading
from postern.apps.audits.catalogue import Event
from postern.apps.audits.models import AuditChain, AuditEvent, LoginLog, PasswordChangeLog
from postern.apps.audits.signed_statements import SignedStatement
from postern.foundation.provided import Provided
from postern.kernel.ids import ROOT_ORG_ID

_AT_ONCE: Final = 2_000
#: Below SQLite's limit of parameters per statement.
_ROWS_AT_ONCE: Final = 500

_Item = TypeVar("_Item")


def batched(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """Lists of `size` items; the last list may be shorter."""
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some


class FaultKind(StrEnum):
    """The kinds of fault that a verification reports."""

    UNREADABLE = "unreadable"  # a row whose columns cannot be read
    EDITED = "edited"  # the digest does not match the columns
    MISSING = "missing"  # a sequence number is missing
    BROKEN_LINK = "broken_link"  # the row does not link to the previous row: it was inserted or moved
    TRUNCATED = "truncated"  # the chain ends before its head
    UNANCHORED = "unanchored"  # rows beyond the head, or no head at all
    LOGIN_EDITED = "login_edited"  # a row of the login log differs from its event
    LOGIN_MISSING = "login_missing"  # a row of the login log is missing
    LOGIN_INSERTED = "login_inserted"  # a row of the login log has no event
    ROLLED_BACK = "rolled_back"  # a checkpoint outside the database has more events, or other events
    PASSWORD_EDITED = "password_edited"  # noqa: S105 - a kind of fault
    PASSWORD_MISSING = "password_missing"  # noqa: S105 - a kind of fault
    PASSWORD_INSERTED = "password_inserted"  # noqa: S105 - a kind of fault
    SESSION_EDITED = "session_edited"  # a session differs from its record in the log
    SESSION_MISSING = "session_missing"  # a permitted session is missing and was not deleted by retention
    SESSION_INSERTED = "session_inserted"  # the log has no record of the session
    ROW_EDITED = "row_edited"  # a command, file transfer, connection or refused request does not match its proof
    ROW_MISSING = "row_missing"  # a command, file transfer, connection or refused request is missing
    ROW_INSERTED = "row_inserted"  # a command, file transfer, connection or refused request that no chain contains
    RECORDING_EDITED = "recording_edited"  # size or hash of a recording differ from the stored upload
    RECORDING_MISSING = "recording_missing"
    CHECKPOINT_ALTERED = "checkpoint_altered"  # a line of the checkpoint file was altered


#: Faults of a log that checkpoints do not sign any further.
UNSIGNING: Final = frozenset(
    {
        FaultKind.UNREADABLE,
        FaultKind.EDITED,
        FaultKind.MISSING,
        FaultKind.BROKEN_LINK,
        FaultKind.TRUNCATED,
        FaultKind.UNANCHORED,
        FaultKind.ROLLED_BACK,
    }
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One place where the log differs from what was written."""

    org_id: UUID | None
    sequence: int
    kind: FaultKind
    subject: str = ""
    session_id: UUID | None = None

    def __str__(self) -> str:
        if self.subject:
            return f"{self.kind}: {self.subject}"
        return f"{self.kind} at {self.org_id or 'the login log'} #{self.sequence}"


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """Result of a verification: the number of events read, and the faults."""

    checked: int
    faults: tuple[Fault, ...]


class Statement(NamedTuple):
    """An event about an object, as the verifiers of other apps need it."""

    org_id: UUID
    sequence: int
    event: str
    object_id: str
    new: Mapping[str, Any]


class Count:
    """Counts the rows read, per organization.

    `go_on` is called for every row and may raise to stop the verification.
    """

    def __init__(self, go_on: Callable[[], None] = lambda: None) -> None:
        self.by_organization: Counter[UUID] = Counter()
        self._go_on = go_on

    def add(self, org_id: UUID, rows: int = 1) -> None:
        """Add rows of an organization."""
        self._go_on()
        self.by_organization[org_id] += rows

    @property
    def rows(self) -> int:
        """Number of rows read in all organizations."""
        return self.by_organization.total()


Verifier = Callable[[Count], Iterator[Fault]]

#: Verifiers of apps in higher layers, whose rows the log covers. They run with every verification.
VERIFIERS: Final = Provided[Sequence[Verifier]]("what the audit log covers")


def verify_log() -> VerificationReport:
    """Verify the log and all rows that it covers."""
    count = Count()
    faults = tuple(verify(count))
    return VerificationReport(count.rows, faults)


def verify(count: Count | None = None) -> Iterator[Fault]:
    """All faults; empty for an intact log. Reads all rows in constant memory, while other transactions keep writing."""
    count = count or Count()
    heads = {chain.org_id: chain for chain in AuditChain.objects.all()}
    known = set(AuditEvent.objects.order_by().values_list("org_id", flat=True).distinct())
    stated = checkpoint_file.last_statements()
    for org_id in sorted(known | set(heads)):
        yield from _verify_chain(org_id, heads.get(org_id), count, stated.get(org_id))
    for log in (_LOGINS, _PASSWORDS):
        yield from _while_readable(_verify_copies(log, count), f"rows of {log.model.__name__}")
    yield from _verify_checkpoints()
    for verifier in VERIFIERS.value:
        yield from _while_readable(verifier(count), f"rows that {verifier.__module__} verifies")


def _while_readable(faults: Iterator[Fault], what: str) -> Iterator[Fault]:
    """The faults, and a fault in place of the rest when a row cannot be read."""
    try:
        yield from faults
    except Exception as error:
        if not reading.is_of_row(error):
            raise
        yield Fault(None, 0, FaultKind.UNREADABLE, f"{what}; they were not verified to the end: {error}")


def statements(events: Iterable[Event], object_ids: Sequence[str]) -> list[Statement]:
    """Events of these kinds about the objects, in chain order."""
    rows = AuditEvent.objects.filter(resource_id__in=object_ids, event__in=[str(event) for event in events])
    return [_statement(row) for row in rows.order_by("org_id", "sequence")]


def span(org_id: UUID, object_ids: Sequence[str]) -> tuple[int, int] | None:
    """The positions of the first and the last event about the objects in a chain; None when there is none."""
    first: list[int] = []
    last: list[int] = []
    for some in batched(object_ids, _ROWS_AT_ONCE):
        rows = AuditEvent.objects.filter(org_id=org_id, resource_id__in=some)
        found = rows.order_by().aggregate(first=Min("sequence"), last=Max("sequence"))
        if found["first"] is not None:
            first.append(found["first"])
            last.append(found["last"])
    return (min(first), max(last)) if first else None


def objects_of(org_id: UUID, events: Iterable[Event], begin: datetime, end: datetime) -> set[str]:
    """The objects that events of these kinds name from `begin` until before `end`."""
    rows = AuditEvent.objects.filter(org_id=org_id, event__in=[str(event) for event in events])
    rows = rows.filter(datetime__gte=begin, datetime__lt=end)
    return set(rows.order_by().values_list("resource_id", flat=True).distinct())


def statements_in_sets(event: Event, size: int) -> Iterator[list[Statement]]:
    """All events of one kind, in batches."""
    rows = AuditEvent.objects.filter(event=event.value).order_by("org_id", "sequence")
    for some in batched(rows.iterator(chunk_size=_AT_ONCE), size):
        yield [_statement(row) for row in some]


def organizations_in_log() -> list[UUID]:
    """All organizations that have events."""
    return list(AuditChain.objects.order_by("org_id").values_list("org_id", flat=True))


def has_any(events: Iterable[Event]) -> bool:
    """Whether the log has an event of one of these kinds."""
    return AuditEvent.objects.filter(event__in=[str(event) for event in events]).exists()


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """The values of a recorded change."""

    old: Mapping[str, Any]
    new: Mapping[str, Any]


def recorded_change(event: Event, record_id: UUID) -> RecordedChange | None:
    """One record of this kind of event; None when there is none."""
    row = AuditEvent.objects.filter(pk=record_id, event=event.value).first()
    return RecordedChange(row.old or {}, row.new or {}) if row else None


def _statement(row: AuditEvent) -> Statement:
    return Statement(row.org_id, row.sequence, row.event, row.resource_id, row.new or {})


def _verify_chain(
    org_id: UUID, head: AuditChain | None, count: Count, stated: SignedStatement | None
) -> Iterator[Fault]:
    expected, previous, public = 1, digest.GENESIS, public_chain.GENESIS
    rows = AuditEvent.objects.filter(org_id=org_id)
    top = rows.order_by("-sequence").values_list("sequence", flat=True).first() or 0
    is_readable = True
    for sequence, event in reading.events(org_id, 0, top):
        count.add(org_id)
        if sequence != expected:
            yield Fault(org_id, expected, FaultKind.MISSING)
        expected, is_next = sequence + 1, sequence == expected
        if event is None:
            yield Fault(org_id, sequence, FaultKind.UNREADABLE)
            previous, is_readable = public_chain.digests_at(org_id, [sequence]).get(sequence, ""), False
            continue
        if is_next and event.previous != previous:
            yield Fault(org_id, sequence, FaultKind.BROKEN_LINK)
        if digest.of_event(event) != event.digest:
            yield Fault(org_id, sequence, FaultKind.EDITED)
        previous = event.digest
        if stated is not None and sequence <= stated.position.sequence and is_readable:
            public = public_chain.link_after(public, public_chain.line_of(event))
    last = expected - 1
    if stated is not None and is_readable and last >= stated.position.sequence and public != stated.position.chain:
        yield Fault(org_id, stated.position.sequence, FaultKind.ROLLED_BACK)
    if head is not None and head.sequence > last:
        yield Fault(org_id, head.sequence, FaultKind.TRUNCATED)
        return
    # The chain may have grown since its head was read, so read the head again.
    now = AuditChain.objects.filter(org_id=org_id).first()
    if now is None or now.sequence < last or (now.sequence == last and now.digest != previous):
        yield Fault(org_id, last, FaultKind.UNANCHORED)


class _Copied(NamedTuple):
    """A log of the contract whose rows repeat an event of the chain."""

    model: type[LoginLog | PasswordChangeLog]
    edited: FaultKind
    missing: FaultKind
    inserted: FaultKind


_LOGINS: Final = _Copied(LoginLog, FaultKind.LOGIN_EDITED, FaultKind.LOGIN_MISSING, FaultKind.LOGIN_INSERTED)
_PASSWORDS: Final = _Copied(
    PasswordChangeLog, FaultKind.PASSWORD_EDITED, FaultKind.PASSWORD_MISSING, FaultKind.PASSWORD_INSERTED
)


def _verify_copies(log: _Copied, count: Count) -> Iterator[Fault]:
    """Check that each event has its row, each row has its event, and both have the same values."""
    name = log.model.__name__
    events = AuditEvent.objects.filter(org_id=ROOT_ORG_ID, resource_type=name).exclude(event__endswith=".exported")
    for some in batched(events.order_by("sequence").iterator(chunk_size=_AT_ONCE), _ROWS_AT_ONCE):
        rows = {str(row.pk): row for row in log.model.objects.filter(pk__in=[event.resource_id for event in some])}
        for event in some:
            row = rows.get(event.resource_id)
            if row is None:
                yield Fault(event.org_id, event.sequence, log.missing)
            elif not _repeats(row.covered_values(), event.new or {}):
                yield Fault(event.org_id, event.sequence, log.edited)
    keys = log.model.objects.order_by().values_list("pk", flat=True).iterator(chunk_size=_AT_ONCE)
    for some_keys in batched(keys, _ROWS_AT_ONCE):
        count.add(ROOT_ORG_ID, len(some_keys))
        texts = [str(key) for key in some_keys]
        recorded_events = AuditEvent.objects.filter(resource_id__in=texts, resource_type=name, org_id=ROOT_ORG_ID)
        for _key in set(texts) - set(recorded_events.values_list("resource_id", flat=True)):
            yield Fault(None, 0, log.inserted)


def _repeats(values: Mapping[str, Any], recorded: Mapping[str, Any]) -> bool:
    """Whether the row matches its event. Events of earlier versions have fewer columns."""
    return all(name in values and values[name] == value for name, value in recorded.items())


def _verify_checkpoints() -> Iterator[Fault]:
    heads = _FormerHeads()
    proven: dict[UUID, SignedStatement] = {}
    for number, checkpoint in enumerate(checkpoint_file.read(), start=1):
        if checkpoint is None:
            yield Fault(None, number, FaultKind.CHECKPOINT_ALTERED)
            continue
        for org_id, head in checkpoint.heads.items():
            heads.add(org_id, head)
        new = {key: stated for key, stated in checkpoint.statements.items() if proven.get(key) != stated}
        if all(stated.is_signed() and stated.org_id == key for key, stated in new.items()):
            proven |= new
        else:
            yield Fault(None, number, FaultKind.CHECKPOINT_ALTERED)
    for org_id, sequence in heads.lost():
        yield Fault(org_id, sequence, FaultKind.ROLLED_BACK)


class _FormerHeads:
    """The heads that checkpoints name, compared with the log some at a time."""

    def __init__(self) -> None:
        self._last: dict[UUID, checkpoint_file.Head] = {}
        self._some: defaultdict[UUID, list[checkpoint_file.Head]] = defaultdict(list)
        self._lost: dict[UUID, int] = {}

    def add(self, org_id: UUID, head: checkpoint_file.Head) -> None:
        """Take the head of a line. Lines repeat the heads of organizations that have not changed."""
        if self._last.get(org_id) != head:
            self._last[org_id] = head
            self._some[org_id].append(head)
            if len(self._some[org_id]) >= _ROWS_AT_ONCE:
                self._compare(org_id)

    def lost(self) -> list[tuple[UUID, int]]:
        """The highest position of each organization that a line names, and that the log does not have as it was."""
        for org_id in list(self._some):
            self._compare(org_id)
        return sorted(self._lost.items())

    def _compare(self, org_id: UUID) -> None:
        heads = self._some.pop(org_id)
        there = public_chain.digests_at(org_id, [sequence for sequence, _ in heads])
        lost = [sequence for sequence, expected in heads if sequence and there.get(sequence) != expected]
        if lost:
            self._lost[org_id] = max(*lost, self._lost.get(org_id, 0))
