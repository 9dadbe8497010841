"""Verifies the evidence: each session against the audit chain, each row against its session's chain.

Reads batches of sessions in constant memory. Sessions change while they are verified, so suspicious sessions are read
again with their row locked; only faults that persist are reported.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef

from postern.apps.audits import facade as audits
from postern.apps.audits.facade import Count, Fault, FaultKind, Statement
from postern.apps.sessions.evidence.rows import PLACES, ROWS, unproven
from postern.apps.sessions.recordings.models import Recording
from postern.apps.sessions.sessions import evidence
from postern.apps.sessions.sessions.evidence import Covered
from postern.apps.sessions.sessions.models import Session
from postern.contracts.enums import SessionState
from postern.kernel.ids import parse_id

_SESSIONS_AT_ONCE: Final = 400
_ROWS_AT_ONCE: Final = 2_000
_E = audits.Event
#: Events of the audit log about a session's state; the last event counts.
_STATING: Final = frozenset({_E.SESSION_PERMITTED, _E.SESSION_FOUND_ALIVE, _E.SESSION_SEALED, _E.SESSION_FORGOTTEN})
#: Events that say what the evidence must be.
READ: Final = (*sorted(_STATING), _E.SESSION_ANCHORED, _E.RECORDING_STORED)


class Row(NamedTuple):
    """One row of a session's chain, with the values of the columns of the current version."""

    session_id: UUID
    number: int
    covered: Covered
    values: Sequence[Any]
    proof: str


def verify(count: Count) -> Iterator[Fault]:
    """All faults of the evidence; empty when it is intact."""
    last: UUID | None = None
    while True:
        rows = Session.objects.order_by("pk").select_related("recording")
        sessions = list((rows.filter(pk__gt=last) if last else rows)[:_SESSIONS_AT_ONCE])
        if not sessions:
            break
        for session in sessions:
            count.add(session.org_id)
        suspects = {fault.session_id for fault in _faults_of(sessions, count) if fault.session_id}
        for session_id in sorted(suspects):
            yield from _again(session_id)
        last = sessions[-1].pk
    yield from _missing_sessions()
    yield from _orphans()


def _again(session_id: UUID) -> Iterator[Fault]:
    """The faults of one session, read while its row is locked."""
    with transaction.atomic():
        session = (
            Session.objects.select_for_update(of=("self",)).select_related("recording").filter(pk=session_id).first()
        )
        yield from list(_faults_of([session], Count())) if session else ()


def examined(session: Session, stated: list[Statement]) -> Iterator[Row | Fault]:
    """The rows of a session in the order of its chain, and the faults of the session, its recording and these rows.

    `session` has its `recording`, and `stated` the events of `READ` about it, of the same snapshot.
    """
    yield from _session_faults(session, stated)
    yield from _recording_faults(session, stated)
    yield from _checked_rows({session.pk: session}, {session.pk: _last(stated, _E.SESSION_ANCHORED)}, Count())


def missing_among(org_id: UUID, keys: Sequence[UUID]) -> list[UUID]:
    """Those of these sessions, which are not there, that no event of the organization's log records as deleted."""
    statements = audits.statements((_E.SESSION_FORGOTTEN,), [str(key) for key in keys])
    forgotten = {statement.object_id for statement in statements if statement.org_id == org_id}
    return [key for key in keys if str(key) not in forgotten]


def _faults_of(sessions: Sequence[Session], count: Count) -> Iterator[Fault]:
    by_id = {session.pk: session for session in sessions}
    stated: dict[UUID, list[Statement]] = defaultdict(list)
    for statement in audits.statements(READ, [str(key) for key in by_id]):
        session_id = parse_id(statement.object_id)
        if session_id is not None:
            stated[session_id].append(statement)
    for session in sessions:
        yield from _session_faults(session, stated[session.pk])
        yield from _recording_faults(session, stated[session.pk])
    anchors = {key: _last(events, _E.SESSION_ANCHORED) for key, events in stated.items()}
    yield from (item for item in _checked_rows(by_id, anchors, count) if isinstance(item, Fault))


def _session_faults(session: Session, stated: list[Statement]) -> Iterator[Fault]:
    decisive = [statement for statement in stated if statement.event in _STATING]
    latest = decisive[-1] if decisive else None
    fixed = [statement for statement in stated if "fixed" in statement.new]
    if latest is None and not fixed:
        yield _fault(session, FaultKind.SESSION_INSERTED)
        return
    if latest is not None and latest.event == _E.SESSION_FORGOTTEN:
        yield _fault(session, FaultKind.SESSION_INSERTED)
        return
    is_over = session.state == SessionState.ENDED.value
    if latest is not None and latest.event == _E.SESSION_SEALED:
        expected = str(latest.new.get("final", ""))
        if not is_over or not _fits(evidence.SESSION_FINAL, session, expected):
            yield _fault(session, FaultKind.SESSION_EDITED)
    elif is_over or not fixed or not _fits(evidence.SESSION_FIXED, session, str(fixed[-1].new["fixed"])):
        yield _fault(session, FaultKind.SESSION_EDITED)


def _fits(covered: Covered, session: Session, proof: str) -> bool:
    version = evidence.version_of(proof)
    if version is None or version >= len(covered.versions):
        return False
    return evidence.proof_of(covered, session, version) == proof


def _recording_faults(session: Session, stated: list[Statement]) -> Iterator[Fault]:
    stored = _last(stated, _E.RECORDING_STORED)
    recording: Recording | None = getattr(session, "recording", None)
    if stored is None:
        if recording is not None and recording.date_stored is not None:
            yield _fault(session, FaultKind.RECORDING_EDITED)
    elif recording is None:
        yield _fault(session, FaultKind.RECORDING_MISSING)
    elif any(getattr(recording, name) != stored.new.get(name) for name in ("size", "sha256", "chain")):
        yield _fault(session, FaultKind.RECORDING_EDITED)


def _checked_rows(
    by_id: dict[UUID, Session], anchors: dict[UUID, Statement | None], count: Count
) -> Iterator[Row | Fault]:
    """The rows of these sessions in chain order, and their faults: each row matches its proof, none is missing or extra.

    A row comes after its faults.
    """
    number, head = dict.fromkeys(by_id, 0), dict.fromkeys(by_id, evidence.GENESIS)
    for row in _chained_rows(by_id):
        session_id, place, covered, values, proof = row
        session = by_id[session_id]
        count.add(session.org_id)
        for gap in range(number[session_id] + 1, min(place, number[session_id] + 2)):
            yield _fault(session, FaultKind.ROW_MISSING, f"row {gap}")
        version = evidence.version_of(proof)
        known = version is not None and version < len(covered.versions)
        is_next = place == number[session_id] + 1
        fits = known and _row_fits(covered, values, proof, (place, head[session_id]))
        if not known or (is_next and not fits) or place <= number[session_id]:
            yield _fault(session, FaultKind.ROW_EDITED, f"{covered.model.__name__} {values[0]}")
        anchored = anchors.get(session_id)
        if anchored is not None and anchored.new.get("rows") == place and anchored.new.get("head") != proof:
            yield _fault(session, FaultKind.ROW_EDITED, f"{covered.model.__name__} {values[0]}")
        number[session_id], head[session_id] = max(place, number[session_id]), proof
        yield row
    for session_id, session in by_id.items():
        anchored = anchors.get(session_id)
        expected = max(session.evidence_count, int(anchored.new.get("rows", 0)) if anchored else 0)
        if number[session_id] < expected:
            yield _fault(session, FaultKind.ROW_MISSING, f"rows {number[session_id] + 1} to {expected}")
        elif number[session_id] > session.evidence_count or head[session_id] != session.evidence_head:
            yield _fault(session, FaultKind.ROW_INSERTED, f"after row {session.evidence_count}")
    for covered in ROWS:
        placeless = unproven(covered).filter(session_id__in=by_id)
        for key, session_id in placeless.values_list("pk", "session_id"):
            yield _fault(by_id[session_id], FaultKind.ROW_INSERTED, f"{covered.model.__name__} {key}")


def _row_fits(covered: Covered, values: Sequence[Any], proof: str, place: tuple[int, str]) -> bool:
    """Whether a row, with the columns of the current version, matches the proof at its position."""
    number, previous = place
    version = evidence.version_of(proof) or 0
    if version == len(covered.versions) - 1:
        chosen = values
    else:
        by_name = dict(zip(covered.versions[-1], values, strict=True))
        chosen = [by_name[name] for name in covered.versions[version]]
    return evidence.row_proof(covered, chosen, number=number, previous=previous, version=version) == proof


def _chained_rows(session_ids: Iterable[UUID]) -> Iterator[Row]:
    """All chained rows of the sessions, one chain after the other."""
    keys = list(session_ids)
    return heapq.merge(
        *(_rows_of(covered, keys) for covered in PLACES), key=lambda row: (row.session_id.int, row.number)
    )


def _rows_of(covered: Covered, keys: list[UUID]) -> Iterator[Row]:
    number, proof = covered.number_column, covered.proof_column
    chained = covered.model._default_manager.filter(session_id__in=keys, **{f"{number}__isnull": False})  # noqa: SLF001 - the documented model API
    rows = chained.order_by("session_id", number).values_list("session_id", number, proof, *covered.versions[-1])
    for session_id, place, row_proof, *values in rows.iterator(chunk_size=_ROWS_AT_ONCE):
        yield Row(session_id, place, covered, values, row_proof)


def _missing_sessions() -> Iterator[Fault]:
    """Sessions that the log records as permitted, that are missing without a record of their deletion by retention."""
    for permitted in audits.statements_in_sets(_E.SESSION_PERMITTED, _SESSIONS_AT_ONCE):
        ids = {parse_id(statement.object_id): statement for statement in permitted}
        there = set(Session.objects.filter(pk__in=[key for key in ids if key]).values_list("pk", flat=True))
        gone = {str(key): statement for key, statement in ids.items() if key not in there}
        if not gone:
            continue
        forgotten = {statement.object_id for statement in audits.statements((_E.SESSION_FORGOTTEN,), list(gone))}
        for object_id, statement in gone.items():
            if object_id not in forgotten:
                yield Fault(
                    statement.org_id,
                    statement.sequence,
                    FaultKind.SESSION_MISSING,
                    f"session {object_id}",
                    parse_id(object_id),
                )


def _orphans() -> Iterator[Fault]:
    """Rows of sessions that do not exist: they were written bypassing the database's constraints."""
    for covered in ROWS:
        session = Session.objects.filter(pk=OuterRef("session_id"))
        rows = covered.model._default_manager.filter(~Exists(session))  # noqa: SLF001 - the documented model API
        for key in rows.values_list("pk", flat=True)[:_ROWS_AT_ONCE]:
            yield Fault(None, 0, FaultKind.ROW_INSERTED, f"{covered.model.__name__} {key}")


def _last(stated: Iterable[Statement], event: audits.Event) -> Statement | None:
    last_statement: Statement | None = None
    for statement in stated:
        if statement.event == event:
            last_statement = statement
    return last_statement


def _fault(session: Session, kind: FaultKind, what: str = "") -> Fault:
    subject = f"session {session.pk}" + (f", {what}" if what else "")
    return Fault(session.org_id, 0, kind, subject, session.pk)
