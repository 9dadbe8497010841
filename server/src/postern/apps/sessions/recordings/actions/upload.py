"""Taking recordings in: part by part, and only what was announced counts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.recordings.errors import RecordingMismatch, ReplayMissing, UploadOutOfOrder
from postern.apps.sessions.recordings.models import Recording
from postern.apps.sessions.recordings.policy import Part
from postern.apps.sessions.sessions.actions import lifecycle
from postern.apps.sessions.sessions.models import Session
from postern.apps.sessions.terminals.models import Terminal
from postern.foundation.caller.actor import Actor
from postern.integrations.replay_storages.port import ReplayStorage
from postern.kernel import clock, ids
from postern.kernel.errors import Unavailable

#: Room that must remain on the volume after a part.
RESERVE_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Received:
    """How far an upload is; `stored`: it is complete, checked and counts."""

    received: int
    stored: bool


def received(*, terminal: Terminal, session_id: UUID, storage: ReplayStorage) -> Received:
    """How far the upload of a recording is. Raises ReplayMissing when nothing was announced."""
    recording = _announced(terminal, session_id)
    if recording.date_stored is not None:
        return Received(recording.size, stored=True)
    return Received(storage.received(recording.session_id), stored=False)


def receive_part(
    *, terminal: Terminal, session_id: UUID, part: Part, chunks: Iterable[bytes], storage: ReplayStorage
) -> Received:
    """Append one part; with the last one the whole is hashed, compared and kept.

    A repeat of a stored recording changes nothing. Raises ReplayMissing, UploadOutOfOrder, RecordingMismatch, Unavailable.
    """
    recording = _announced(terminal, session_id)
    if recording.date_stored is not None:
        return Received(recording.size, stored=True)
    if part.total != recording.size:
        raise RecordingMismatch(_("The length differs from what was announced."))
    free = storage.free_bytes()
    if free is not None and free < part.size + RESERVE_BYTES:
        raise Unavailable(_("There is no room for recordings."))
    with storage.incoming(recording.session_id) as incoming:
        if incoming.received > recording.size:  # left over from another announcement
            incoming.discard()
        if part.first != incoming.received:
            raise UploadOutOfOrder(_("This part does not follow on what is there."), incoming.received)
        count = incoming.append(chunks)
        if count < recording.size:
            return Received(count, stored=False)
        if count > recording.size or not ids.same(incoming.digest(), recording.sha256):
            incoming.discard()
            _record_mismatch(recording)
            raise RecordingMismatch(_("The content is not what was announced; send it again from the start."))
        started = recording.session.date_start.astimezone(UTC)
        path = incoming.keep(started)
    if not _count(recording, path):
        storage.delete(path)
        raise ReplayMissing(_("No recording of this session was announced."))
    return Received(recording.size, stored=True)


@transaction.atomic
def _count(recording: Recording, path: str) -> bool:
    """Make the stored file count. False when the session was forgotten meanwhile: nobody would find the file."""
    # The session first: see the order of locks in `sessions/actions/lifecycle.py`.
    lifecycle.lock(Session.objects.filter(pk=recording.session_id))
    held = Recording.objects.select_related("session").filter(pk=recording.pk).first()
    if held is None:
        return False
    if held.date_stored is not None:
        return True
    held.path = path
    held.date_stored = clock.now()
    held.save(update_fields=["path", "date_stored"])
    _record(
        held.session, audits.Event.RECORDING_STORED, {"size": held.size, "sha256": held.sha256, "chain": held.chain}
    )
    return True


@transaction.atomic
def _record_mismatch(recording: Recording) -> None:
    _record(recording.session, audits.Event.RECORDING_MISMATCH, {"size": recording.size, "sha256": recording.sha256})


def _announced(terminal: Terminal, session_id: UUID) -> Recording:
    recording = Recording.objects.select_related("session").filter(pk=session_id, session__terminal=terminal).first()
    if recording is None or not recording.sha256:
        raise ReplayMissing(_("No recording of this session was announced."))
    return recording


def _sender(terminal: Terminal | None) -> Actor:
    """The proxy that sends, from where it was last heard of."""
    if terminal is None:
        return messages.component("terminal")
    return messages.component(terminal.name, terminal.remote_addr or None)


def _record(session: Session, event: audits.Event, new: dict[str, object]) -> None:
    audits.record(
        actor=_sender(session.terminal),
        org_id=session.org_id,
        event=event,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        new=new,
    )
