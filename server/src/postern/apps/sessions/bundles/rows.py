"""The sessions of a bundle: which they are, and their rows as lines, checked while they are written."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from postern.apps.audits import facade as audits
from postern.apps.audits.facade import Fault, FaultKind
from postern.apps.sessions.evidence import verification
from postern.apps.sessions.evidence.verification import Row
from postern.apps.sessions.sessions import evidence
from postern.apps.sessions.sessions.models import Session
from postern.contracts.audit_bundle.bundle_verifier import canonical
from postern.foundation.database.snapshot import snapshot_or_own
from postern.kernel.ids import parse_id

AT_ONCE: Final = 400
_E: Final = audits.Event
#: Events that name a session which ran when they were written.
_NAMING: Final = (_E.SESSION_PERMITTED, _E.SESSION_ANCHORED, _E.SESSION_SEALED)


def session_ids(org_id: UUID, begin: datetime, end: datetime, chosen: Sequence[UUID]) -> tuple[list[UUID], list[UUID]]:
    """The sessions that ran between two moments, or the chosen ones, in two lists: those that are there, and those that
    only the log names.
    """
    rows = Session.objects.filter(org_id=org_id)
    if chosen:
        stated = audits.statements(_NAMING, [str(key) for key in chosen])
        named = {statement.object_id for statement in stated if statement.org_id == org_id}
        there = set(rows.filter(pk__in=chosen).values_list("pk", flat=True))
    else:
        named = audits.objects_of(org_id, _NAMING, begin, end)
        ran = rows.filter(Q(date_end__isnull=True) | Q(date_end__gte=begin), date_start__lt=end)
        there = set(ran.values_list("pk", flat=True))
    others = sorted({key for key in map(parse_id, named) if key is not None} - there)
    for start in range(0, len(others), AT_ONCE):
        there |= set(rows.filter(pk__in=others[start : start + AT_ONCE]).values_list("pk", flat=True))
    return sorted(there), [key for key in others if key not in there]


class SessionLines:
    """Writes sessions as lines. What it writes is what it has checked: one reading, in one snapshot of each session.

    `faults`: what is not intact. `stored`: what the log says about the recordings that were stored. `deleted`: sessions
    that were deleted since they were listed.
    """

    def __init__(self, until: int) -> None:
        self._until = until
        self.faults: list[str] = []
        self.stored: dict[UUID, Mapping[str, Any]] = {}
        self.deleted: list[UUID] = []

    def of(self, keys: Sequence[UUID]) -> Iterator[bytes]:
        """The sessions with their rows, each session followed by its rows in the order of its chain."""
        for key in keys:
            try:
                with snapshot_or_own():
                    yield from self._of_session(key)
            except Exception as error:
                if not audits.is_of_row(error):
                    raise
                self.faults.append(f"{FaultKind.UNREADABLE}: session {key}: {error}")

    def _of_session(self, key: UUID) -> Iterator[bytes]:
        """Rows that arrived after the session's last sealing up to the end of the bundle are left out: no event of the
        bundle counts them.
        """
        session = Session.objects.select_related("recording").filter(pk=key).first()
        if session is None:
            self.deleted.append(key)
            return
        stated = audits.statements(verification.READ, [str(key)])
        last = {statement.event: statement.new for statement in stated if statement.sequence <= self._until}
        if _E.RECORDING_STORED in last:
            self.stored[key] = last[_E.RECORDING_STORED]
        most = int(last[_E.SESSION_SEALED]["rows"]) if _E.SESSION_SEALED in last else session.evidence_count
        values = {name: evidence.plain(getattr(session, name)) for name in evidence.SESSION_FINAL.versions[-1]}
        yield _line({"table": "session", "rows": most, "values": values})
        for item in verification.examined(session, stated):
            if isinstance(item, Fault):
                self.faults.append(str(item))
            elif item.number <= most:
                yield _line(_values(item))


def _values(row: Row) -> dict[str, Any]:
    names = row.covered.versions[-1]
    values = {name: evidence.plain(value) for name, value in zip(names, row.values, strict=True)}
    return {"table": evidence.table_of(row.covered), "number": row.number, "proof": row.proof, "values": values}


def _line(values: Mapping[str, Any]) -> bytes:
    return canonical(values) + b"\n"
