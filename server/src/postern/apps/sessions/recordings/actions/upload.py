"""Receives recordings in parts. Only bytes that match the announced seal are accepted."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.recordings.actions import copying
from postern.apps.sessions.recordings.errors import RecordingMismatch, ReplayMissing, UploadOutOfOrder
from postern.apps.sessions.recordings.models import Recording
from postern.apps.sessions.recordings.policy import Part
from postern.apps.sessions.search import actions as search
from postern.apps.sessions.sessions.actions import lifecycle
from postern.apps.sessions.sessions.models import Session
from postern.apps.sessions.storages.models import ReplayStorage as StorageRow
from postern.apps.sessions.terminals.models import Terminal
from postern.foundation.caller.actor import Actor
from postern.integrations.replay_storages.port import ReplayStorage
from postern.kernel import clock, ids
from postern.kernel.errors import Unavailable

#: Free space that must remain on the volume after a part.
RESERVE_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Received:
    """Progress of an upload. `stored`: complete, verified and accepted."""

    received: int
    stored: bool


def received(*, terminal: Terminal, session_id: UUID, storage: ReplayStorage) -> Received:
    """Progress of a recording's upload. Raises ReplayMissing when no recording was announced."""
    recording = _announced(terminal, session_id)
    if recording.date_stored is not None:
        return Received(recording.size, stored=True)
    return Received(storage.received(recording.session_id), stored=False)


def receive_part(
    *, terminal: Terminal, session_id: UUID, part: Part, chunks: Iterable[bytes], storage: ReplayStorage
) -> Received:
    """Append one part. After the last part, the whole file is hashed, compared and stored.

    Sending a stored recording again changes nothing. Raises ReplayMissing, UploadOutOfOrder, RecordingMismatch,
    Unavailable.
    """
    recording = _announced(terminal, session_id)
    if recording.date_stored is not None:
        return Received(recording.size, stored=True)
    if part.total != recording.size:
        raise RecordingMismatch(_("The length differs from the announced length."))
    free = storage.free_bytes()
    if free is not None and free < part.size + RESERVE_BYTES:
        raise Unavailable(_("There is not enough disk space for recordings."))
    with storage.incoming(recording.session_id) as incoming:
        if incoming.received > recording.size:  # left over from an earlier announcement
            incoming.discard()
        if part.first != incoming.received:
            raise UploadOutOfOrder(_("This part does not follow the bytes received so far."), incoming.received)
        count = incoming.append(chunks)
        if count < recording.size:
            return Received(count, stored=False)
        if count > recording.size or not ids.same(incoming.digest(), recording.sha256):
            incoming.discard()
            _record_mismatch(recording)
            raise RecordingMismatch(
                _("The content differs from the announced recording. Upload it again from the start.")
            )
        started = recording.session.date_start.astimezone(UTC)
        path = incoming.keep(started)
    if not _count(recording, path):
        storage.delete(path)
        raise ReplayMissing(_("No recording of this session was announced."))
    return Received(recording.size, stored=True)


@transaction.atomic
def _count(recording: Recording, path: str) -> bool:
    """Mark the recording as stored.

    False when the session was deleted in the meantime, because no row refers to the file then.
    """
    # Lock the session first: see the lock order in `sessions/actions/lifecycle.py`.
    lifecycle.lock(Session.objects.filter(pk=recording.session_id))
    held = Recording.objects.select_related("session").filter(pk=recording.pk).first()
    if held is None:
        return False
    if held.date_stored is not None:
        return True
    held.path = path
    held.date_stored = clock.now()
    held.save(update_fields=["path", "date_stored"])
    search.queue(held.session)
    copying.order(held, _wanted_storage(held.session.terminal))
    _record(
        held.session, audits.Event.RECORDING_STORED, {"size": held.size, "sha256": held.sha256, "chain": held.chain}
    )
    return True


def _wanted_storage(terminal: Terminal | None) -> StorageRow | None:
    """The storage that the terminal names; the default when it names none that exists."""
    named = StorageRow.objects.filter(name=terminal.replay_storage).first() if terminal is not None else None
    return named or StorageRow.objects.filter(is_default=True).first()


@transaction.atomic
def _record_mismatch(recording: Recording) -> None:
    _record(recording.session, audits.Event.RECORDING_MISMATCH, {"size": recording.size, "sha256": recording.sha256})


def _announced(terminal: Terminal, session_id: UUID) -> Recording:
    recording = Recording.objects.select_related("session").filter(pk=session_id, session__terminal=terminal).first()
    if recording is None or not recording.sha256:
        raise ReplayMissing(_("No recording of this session was announced."))
    return recording


def _sender(terminal: Terminal | None) -> Actor:
    """The sending proxy, with its last known address."""
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
