"""Writes the log of forwarded connections: proxies report the beginning and the end of each.

Every connection gets a row at its beginning. Both writes have a position and a proof in the chain of the session.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.forwards.evidence import END, FORWARDS, FORWARDS_BEGUN
from postern.apps.sessions.forwards.models import PLACE_CHARS, REASON_CHARS, ForwardedConnection
from postern.apps.sessions.sessions.actions import sealing
from postern.apps.sessions.sessions.actions.lifecycle import clean, sane_instant
from postern.apps.sessions.sessions.models import Session
from postern.contracts.events import ForwardClosed, ForwardOpened

_LARGEST: Final = (1 << 63) - 1  # maximum of the columns


@dataclass
class _News:
    """What is new in one session, in the order of the reports."""

    begun: list[ForwardedConnection] = field(default_factory=list)
    ended: list[ForwardedConnection] = field(default_factory=list)


def store_forwards(sessions: Mapping[UUID, Session], events: Iterable[ForwardOpened | ForwardClosed]) -> None:
    """Store beginnings and ends, with one audit record per session. Repeated reports change nothing.

    The caller has locked the sessions. An end without a beginning says nothing about any place, and is left out.
    """
    events = list(events)
    rows = {row.pk: row for row in ForwardedConnection.objects.filter(pk__in={event.id for event in events})}
    finished = {key for key, row in rows.items() if row.is_finished}
    news: dict[UUID, _News] = defaultdict(_News)
    for event in events:
        session, row = sessions[event.session_id], rows.get(event.id)
        if row is not None and row.session_id != session.pk:
            continue
        if isinstance(event, ForwardOpened):
            if row is None:
                rows[event.id] = _row(session, event)
                news[session.pk].begun.append(rows[event.id])
        elif row is not None and event.id not in finished:
            finished.add(event.id)
            row.bytes_in, row.bytes_out = _size(event.bytes_in), _size(event.bytes_out)
            row.duration_ms, row.reason = _size(event.duration_ms), clean(event.reason, REASON_CHARS)
            news[session.pk].ended.append(row)
    for session_id, fresh in news.items():
        _store(sessions[session_id], fresh)


def _store(session: Session, news: _News) -> None:
    sealing.chain(session, news.begun, FORWARDS_BEGUN)
    sealing.chain(session, news.ended, FORWARDS)
    ForwardedConnection.objects.bulk_create(news.begun)
    created = {row.pk for row in news.begun}
    stored_before = [row for row in news.ended if row.pk not in created]
    if stored_before:
        ForwardedConnection.objects.bulk_update(stored_before, [*END, "number", "proof"])
    opened = [
        {"id": row.pk, "asked": row.asked, "opened": row.opened, "originator": row.originator} for row in news.begun
    ]
    closed = [
        {
            "id": row.pk,
            "opened": row.opened,
            "bytes_in": row.bytes_in,
            "bytes_out": row.bytes_out,
            "duration_ms": row.duration_ms,
            "reason": row.reason,
        }
        for row in news.ended
    ]
    audits.record(
        actor=messages.owner(session),
        org_id=session.org_id,
        event=audits.Event.SESSION_CONNECTIONS_FORWARDED,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        new=({"forwards_opened": opened} if opened else {}) | ({"forwards_closed": closed} if closed else {}),
    )


def _row(session: Session, event: ForwardOpened) -> ForwardedConnection:
    return ForwardedConnection(
        id=event.id,
        session=session,
        org_id=session.org_id,
        asked=clean(event.asked, PLACE_CHARS),
        opened=clean(event.opened, PLACE_CHARS),
        originator=clean(event.originator, PLACE_CHARS),
        date_start=sane_instant(event.at, not_before=session.date_start),
    )


def _size(value: int) -> int:
    return min(max(value, 0), _LARGEST)
