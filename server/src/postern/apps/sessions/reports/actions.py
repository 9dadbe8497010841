"""What proxies report about sessions: batches of events, each of which may come again."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final
from uuid import UUID

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.models import (
    Command,
    Recording,
    RecordingCheckpoint,
    RefusedRequest,
    Session,
    Terminal,
)
from postern.apps.sessions.sessions.actions import lifecycle, sealing
from postern.apps.sessions.sessions.actions.lifecycle import clean, sane_instant
from postern.apps.sessions.transfers.actions import store_transfers
from postern.contracts import events as contract
from postern.contracts.enums import RecordingState
from postern.foundation.database.write_transaction import write_transaction

MAX_EVENTS: Final = 500
_MAX_INPUT_CHARS: Final = 4096
_MAX_OUTPUT_CHARS: Final = 16384
_MAX_OFFSET_MS: Final = 2**53

#: What changes the row of a session.
StateChange = contract.SessionStarted | contract.SessionEnded | contract.ActionsEnded


@write_transaction()
def store_events(*, terminal: Terminal, batch: contract.EventBatch) -> contract.EventBatchAnswer:
    """Store a batch in its order, all or nothing. Events of sessions that are not this terminal's are rejected."""
    wanted = {event.session_id for event in batch.events}
    rows = lifecycle.lock(Session.objects.filter(pk__in=wanted, terminal=terminal))
    sessions = {row.pk: row for row in rows}
    rejected: list[int] = []
    commands: list[contract.CommandSeen] = []
    transfers: list[contract.TransferBegun | contract.FileTransferred] = []
    refusals: list[contract.RequestRefused] = []
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
                _seal(session, event)
            case contract.CommandSeen():
                commands.append(event)
            case contract.TransferBegun() | contract.FileTransferred():
                transfers.append(event)
            case contract.RequestRefused():
                refusals.append(event)
            case contract.RecordingCheckpoint():
                checkpoints.append(event)
    # The rows first, so that the state of a session that ends is sealed with all of them.
    _store_commands(sessions, commands)
    store_transfers(sessions, transfers)
    _store_refusals(sessions, refusals)
    _store_heads(sessions)
    for session, change in changes:
        _change_state(session, change)
    _store_checkpoints(sessions, checkpoints)
    return contract.EventBatchAnswer(accepted=len(batch.events) - len(rejected), rejected=tuple(rejected))


def _store_heads(sessions: Mapping[UUID, Session]) -> None:
    """Write the ends of the chains that got new rows."""
    grown = Session.objects.filter(pk__in=list(sessions)).values_list("pk", "evidence_count")
    for session_id, count in grown:
        if sessions[session_id].evidence_count != count:
            sealing.store_head(sessions[session_id])


def _change_state(session: Session, event: StateChange) -> None:
    match event:
        case contract.SessionStarted():
            lifecycle.start(session=session, event=event)
        case contract.SessionEnded():
            lifecycle.end(session=session, event=event)
        case contract.ActionsEnded():
            lifecycle.actions_ended(session=session, event=event)


def _store_commands(sessions: dict[UUID, Session], seen: list[contract.CommandSeen]) -> None:
    """Store the commands that are not there yet."""
    known = set(Command.objects.filter(pk__in=[event.id for event in seen]).values_list("pk", flat=True))
    highest: dict[UUID, int] = defaultdict(int)
    rows: list[Command] = []
    for event in seen:
        if event.id in known:
            continue
        known.add(event.id)
        session = sessions[event.session_id]
        highest[session.pk] = max(highest[session.pk], int(event.risk_level))
        rows.append(
            Command(
                id=event.id,
                session=session,
                org_id=session.org_id,
                user=session.user,
                asset=session.asset,
                system_user=session.system_user,
                kind=event.kind.value,
                input=clean(event.input, _MAX_INPUT_CHARS),
                output=clean(event.output, _MAX_OUTPUT_CHARS),
                risk_level=int(event.risk_level),
                at=sane_instant(event.at, not_before=session.date_start),
                offset_ms=min(max(event.offset_ms, 0), _MAX_OFFSET_MS),
            )
        )
    for row in rows:
        sealing.chain(row.session, [row])
    Command.objects.bulk_create(rows)
    for session_id, level in highest.items():
        session = sessions[session_id]
        if level > session.risk_level:
            session.risk_level = level
            session.save(update_fields=["risk_level"])


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
        sealing.chain(session, [row])
        row.save(force_insert=True)
        _tell(session, audits.Event.SESSION_REQUEST_REFUSED, {"request": row.request, "detail": row.detail})


def _store_checkpoints(sessions: dict[UUID, Session], heads: list[contract.RecordingCheckpoint]) -> None:
    for event in heads:
        session = sessions[event.session_id]
        chain = clean(event.chain, 64)
        _row, fresh = RecordingCheckpoint.objects.get_or_create(
            session=session,
            block=event.block,
            defaults={"chain": chain, "at": sane_instant(event.at, not_before=session.date_start)},
        )
        if fresh:
            _tell(session, audits.Event.RECORDING_CHECKPOINT, {"block": event.block, "chain": chain})


def _seal(session: Session, event: contract.RecordingSealed) -> None:
    """The recording is complete on the proxy; what was stored before is never replaced."""
    recording, _made = Recording.objects.get_or_create(session=session)
    announced = {
        "state": event.state.value,
        "size": max(event.size, 0),
        "sha256": clean(event.sha256, 64).lower(),
        "chain": clean(event.chain, 64),
        "key_id": clean(event.key_id, 64),
        "duration_ms": min(max(event.duration_ms, 0), _MAX_OFFSET_MS),
    }
    held = {name: getattr(recording, name) for name in announced}
    if held == announced:
        return
    if recording.date_stored is not None:
        _tell(session, audits.Event.RECORDING_SECOND_SEAL_IGNORED, announced)
        return
    for name, value in announced.items():
        setattr(recording, name, value)
    recording.date_sealed = sane_instant(event.at, not_before=session.date_start)
    recording.save()
    is_lost = event.state is RecordingState.LOST
    _tell(session, audits.Event.RECORDING_LOST if is_lost else audits.Event.RECORDING_SEALED, announced)
    if is_lost:
        lifecycle.tell_recording_failed(session, is_lost=True)


def _tell(session: Session, event: audits.Event, new: Mapping[str, object]) -> None:
    audits.record(
        actor=messages.owner(session),
        org_id=session.org_id,
        event=event,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        new=new,
    )
