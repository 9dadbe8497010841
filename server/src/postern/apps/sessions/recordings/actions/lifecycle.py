"""The life of a recording on its proxy: it begins, grows, and is sealed, or its row is deleted."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.recordings.models import Recording, RecordingCheckpoint
from postern.apps.sessions.sessions.actions import lifecycle
from postern.apps.sessions.sessions.actions.lifecycle import clean, sane_instant
from postern.apps.sessions.sessions.events import SessionFinished
from postern.apps.sessions.sessions.models import Session
from postern.contracts import events as contract
from postern.contracts.enums import RecordingState

_MAX_OFFSET_MS: Final = 2**53


def begin(*, session: Session) -> None:
    """Create the recording of a session. The caller's transaction has locked `session`."""
    Recording.objects.get_or_create(session=session)


def give_up(event: SessionFinished) -> None:
    """Delete the recording row of a session that never became active, in the transaction that ends the session."""
    if not event.ever_active:
        Recording.objects.filter(session_id=event.session_id, state=RecordingState.RECORDING.value).delete()


def store_checkpoints(sessions: Mapping[UUID, Session], heads: list[contract.RecordingCheckpoint]) -> None:
    """Store new checkpoints of recordings' hash chains. The caller's transaction has locked the sessions."""
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


def seal(*, session: Session, event: contract.RecordingSealed) -> None:
    """Store the seal: the recording is complete on the proxy. An existing seal is never replaced."""
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
