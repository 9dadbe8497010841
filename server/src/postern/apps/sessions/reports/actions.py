"""Stores proxies' reports about sessions: batches of events, each of which may arrive more than once."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.commands.actions import store_commands
from postern.apps.sessions.forwards.actions import store_forwards
from postern.apps.sessions.recordings.actions import lifecycle as recordings
from postern.apps.sessions.sessions.actions import lifecycle, sealing
from postern.apps.sessions.sessions.actions.lifecycle import clean, sane_instant
from postern.apps.sessions.sessions.evidence import REFUSALS
from postern.apps.sessions.sessions.models import RefusedRequest, Session
from postern.apps.sessions.terminals.models import Terminal
from postern.apps.sessions.transfers.actions import store_transfers
from postern.contracts import events as contract
from postern.foundation.database.write_transaction import write_transaction

MAX_EVENTS: Final = 500

#: Events that change the row of a session.
StateChange = contract.SessionStarted | contract.SessionEnded | contract.ActionsEnded
#: Events that become rows of a session's chain.
RowEvent = (
    contract.CommandSeen
    | contract.TransferBegun
    | contract.FileTransferred
    | contract.ForwardOpened
    | contract.ForwardClosed
    | contract.RequestRefused
)


@write_transaction()
def store_events(*, terminal: Terminal, batch: contract.EventBatch) -> contract.EventBatchAnswer:
    """Store a batch in order, all or nothing. Rejects events of sessions that belong to another terminal."""
    wanted = {event.session_id for event in batch.events}
    rows = lifecycle.lock(Session.objects.filter(pk__in=wanted, terminal=terminal))
    sessions = {row.pk: row for row in rows}
    rejected: list[int] = []
    evidence: list[RowEvent] = []
    changes: list[tuple[Session, StateChange]] = []
    checkpoints: list[contract.RecordingCheckpoint] = []
    for index, event in enumerate(batch.events):
        session = sessions.get(event.session_id)
        if session is None:
            rejected.append(index)
            continue
        match event:
            case contract.SessionStarted() | contract.SessionEnded() | contract.ActionsEnded():
                changes.append((session, event))
            case contract.RecordingSealed():
                recordings.seal(session=session, event=event)
            case contract.RecordingCheckpoint():
                checkpoints.append(event)
            case _:
                evidence.append(event)
    # Rows first, so that the final state of a session is sealed together with all its rows.
    _store_rows(sessions, evidence)
    for session, change in changes:
        _change_state(session, change)
    recordings.store_checkpoints(sessions, checkpoints)
    return contract.EventBatchAnswer(accepted=len(batch.events) - len(rejected), rejected=tuple(rejected))


def _store_rows(sessions: dict[UUID, Session], events: list[RowEvent]) -> None:
    """Store the rows of the sessions, and the heads of the chains that got them."""
    store_commands(sessions, [event for event in events if isinstance(event, contract.CommandSeen)])
    store_transfers(
        sessions, [event for event in events if isinstance(event, contract.TransferBegun | contract.FileTransferred)]
    )
    store_forwards(
        sessions, [event for event in events if isinstance(event, contract.ForwardOpened | contract.ForwardClosed)]
    )
    _store_refusals(sessions, [event for event in events if isinstance(event, contract.RequestRefused)])
    _store_heads(sessions)


def _store_heads(sessions: Mapping[UUID, Session]) -> None:
    """Write the heads of the chains that got new rows."""
    grown = Session.objects.filter(pk__in=list(sessions)).values_list("pk", "evidence_count")
    for session_id, count in grown:
        if sessions[session_id].evidence_count != count:
            sealing.store_head(sessions[session_id])


def _change_state(session: Session, event: StateChange) -> None:
    match event:
        case contract.SessionStarted():
            if event.recording:
                recordings.begin(session=session)
            lifecycle.start(session=session, event=event)
        case contract.SessionEnded():
            lifecycle.end(session=session, event=event)
        case contract.ActionsEnded():
            lifecycle.actions_ended(session=session, event=event)


def _store_refusals(sessions: dict[UUID, Session], refused: list[contract.RequestRefused]) -> None:
    known = set(RefusedRequest.objects.filter(pk__in=[event.id for event in refused]).values_list("pk", flat=True))
    for event in refused:
        if event.id in known:
            continue
        known.add(event.id)
        session = sessions[event.session_id]
        row = RefusedRequest(
            id=event.id,
            session=session,
            request=clean(event.request, 128),
            detail=clean(event.detail, 1024),
            at=sane_instant(event.at, not_before=session.date_start),
        )
        sealing.chain(session, [row], REFUSALS)
        row.save(force_insert=True)
        audits.record(
            actor=messages.owner(session),
            org_id=session.org_id,
            event=audits.Event.SESSION_REQUEST_REFUSED,
            object_type="Session",
            object_id=str(session.pk),
            object_name=messages.title(session),
            new={"request": row.request, "detail": row.detail},
        )
