"""The sessions of a bundle: which they are, and their rows as lines."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from postern.apps.audits import facade as audits
from postern.apps.audits.facade import Statement
from postern.apps.sessions.evidence.verification import chained_rows
from postern.apps.sessions.recordings.models import Recording
from postern.apps.sessions.sessions import evidence
from postern.apps.sessions.sessions.models import Session
from postern.contracts.audit_bundle.bundle_verifier import canonical

AT_ONCE: Final = 400
_E = audits.Event


def session_ids(org_id: UUID, begin: datetime, end: datetime, chosen: Sequence[UUID]) -> list[UUID]:
    """The sessions that ran between two moments, or those of the chosen ones that belong to the organization."""
    rows = Session.objects.filter(org_id=org_id)
    if chosen:
        rows = rows.filter(pk__in=chosen)
    else:
        rows = rows.filter(Q(date_end__isnull=True) | Q(date_end__gte=begin), date_start__lt=end)
    return list(rows.order_by("pk").values_list("pk", flat=True))


def statements_until(event: audits.Event, session_ids: Sequence[UUID], until: int) -> dict[UUID, Statement]:
    """Session → the last event of this kind in its organization's log, up to a position."""
    found = audits.statements((event,), [str(key) for key in session_ids])
    return {UUID(statement.object_id): statement for statement in found if statement.sequence <= until}


def session_lines(keys: Sequence[UUID], until: int) -> Iterator[bytes]:
    """The sessions with their rows, each session followed by its rows in the order of its chain.

    Rows that arrived after the session's last sealing up to the position `until` are left out: no event of the bundle
    counts them.
    """
    for start in range(0, len(keys), AT_ONCE):
        some = keys[start : start + AT_ONCE]
        sealed = statements_until(_E.SESSION_SEALED, some, until)
        sessions = {session.pk: session for session in Session.objects.filter(pk__in=some)}
        most = {
            key: int(sealed[key].new["rows"]) if key in sealed else session.evidence_count
            for key, session in sessions.items()
        }
        rows = _rows_up_to(sessions, most)
        row = next(rows, None)
        for key in sorted(sessions, key=lambda key: key.int):
            yield _line(
                {"table": "session", "rows": most[key], "values": _values(evidence.SESSION_FINAL, sessions[key])}
            )
            while row is not None and row[0] == key:
                yield _line(row[1])
                row = next(rows, None)


def _rows_up_to(sessions: Mapping[UUID, Session], most: Mapping[UUID, int]) -> Iterator[tuple[UUID, dict[str, Any]]]:
    for key, number, covered, values, proof in chained_rows(sessions):
        if number <= most[key]:
            names = covered.versions[-1]
            named = {name: evidence.plain(value) for name, value in zip(names, values, strict=True)}
            yield key, {"table": evidence.table_of(covered), "number": number, "proof": proof, "values": named}


def _values(covered: evidence.Covered, session: Session) -> dict[str, Any]:
    return {name: evidence.plain(getattr(session, name)) for name in covered.versions[-1]}


def _line(values: Mapping[str, Any]) -> bytes:
    return canonical(values) + b"\n"


def recordings_of(keys: Sequence[UUID]) -> Iterator[Recording]:
    """The recordings of the sessions, also those that are not stored, in the order of the sessions."""
    for start in range(0, len(keys), AT_ONCE):
        some = keys[start : start + AT_ONCE]
        yield from Recording.objects.filter(pk__in=some).order_by("pk")
