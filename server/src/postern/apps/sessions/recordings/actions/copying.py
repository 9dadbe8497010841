"""Copies recordings to the storages in which they are to lie, while they can be played all the time.

A recording arrives in the folder of this server. If its terminal names a remote storage, a `RecordingCopy` is written
together with the record that it was stored. A worker copies the file, reads the copy back and compares its hash. Only then
one transaction writes the new storage into the recording's row, and a note that the former file is to be deleted. After a
crash at any step the next run continues: the file, or its copy, or both, are always complete.

A worker that works holds a lease of the row. A worker that stood still for longer notices that the row belongs to another.
"""

import hashlib
import logging
import threading
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext_lazy as _

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.recordings.errors import MISSING, UNUSABLE
from postern.apps.sessions.recordings.events import RecordingsNotCopied
from postern.apps.sessions.recordings.models import DoomedFile, Recording, RecordingCopy
from postern.apps.sessions.recordings.storage import store_of
from postern.apps.sessions.sessions.actions import lifecycle
from postern.apps.sessions.sessions.models import Session
from postern.apps.sessions.storages.models import ReplayStorage as StorageRow
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks
from postern.foundation.database.write_transaction import write_transaction
from postern.foundation.phrases import Phrase, stored
from postern.integrations.replay_storages.failures import StorageFailed
from postern.integrations.replay_storages.port import Content, RecordingStore, ReplayStorage
from postern.kernel import clock
from postern.kernel.clock import monotonic_s
from postern.kernel.errors import PosternError
from postern.kernel.sentences import Sentence

log = logging.getLogger(__name__)

#: How long a worker may be silent: one part of an upload takes at most 120 seconds in each of three tries.
LEASE: Final = timedelta(minutes=10)
#: After a failure: 30 seconds, then twice as long each time, up to the most.
_FIRST_WAIT: Final = timedelta(seconds=30)
_MOST_WAIT: Final = timedelta(hours=1)
#: After so many failed tries, which take a quarter of an hour, administrators get a message.
_TOLD_AT: Final = 6
#: How long a player or a download that began before the move may still read a remote file.
_GRACE: Final = timedelta(hours=1)
#: Free space that must remain on the volume of the target.
_RESERVE_BYTES: Final = 256 * 1024 * 1024
_PIECE_BYTES: Final = 1024 * 1024
#: Rows of one statement.
_AT_ONCE: Final = 500
_Meta = Mapping[str, str] | None
#: From which storage to which.
_Way = tuple[UUID | None, UUID | None]
#: One run at a time in a process: a slow storage must not take all threads of the worker.
_TURN: Final = threading.Lock()

_DIFFERS: Final = Phrase(
    "recording.copy_differs",
    _("The copy in the storage differs from the recording. It was deleted; another try follows."),
)
_DAMAGED: Final = Phrase(
    "recording.source_damaged",
    _("The recording itself differs from its seal. It stays where it is; restore it from a backup."),
)
_FULL: Final = Phrase("recording.no_room", _("There is not enough disk space for the recording."))


class _Superseded(Exception):
    """The row was deleted, or another worker has it."""


class _Waits(Exception):
    """A former file in the target has to be deleted first."""


class _CopyDiffers(Exception):
    """The copy is not the recording. `is_damaged`: because the recording itself is not what was sealed."""

    def __init__(self, *, is_damaged: bool) -> None:
        super().__init__()
        self.is_damaged = is_damaged


class _Progress:
    """The port's `Copying`, in the claimed row. Each report renews the lease."""

    def __init__(self, copy: RecordingCopy) -> None:
        self._copy = copy
        self._renewed_s = monotonic_s()

    @property
    def upload_id(self) -> str:
        return self._copy.upload_id

    def begin(self, upload_id: str) -> None:
        self._copy.upload_id = upload_id
        self._write(upload_id=upload_id)

    def advance(self, count: int) -> None:
        if monotonic_s() - self._renewed_s >= 1.0:  # a local copy reports each MiB
            self._write(copied=count)

    def reading(self) -> None:
        """The copy is being read back."""
        if monotonic_s() - self._renewed_s >= 1.0:
            self._write()

    def renew(self) -> None:
        """Renew the lease. Raises _Superseded when another worker has the row."""
        self._write()

    def _write(self, **values: object) -> None:
        until = clock.now() + LEASE
        rows = RecordingCopy.objects.filter(pk=self._copy.pk, date_due=self._copy.date_due)
        if not rows.update(date_due=until, **values):
            raise _Superseded
        self._copy.date_due = until
        self._renewed_s = monotonic_s()


def order(recording: Recording, target: StorageRow | None) -> None:
    """Let a worker copy a stored recording. Must run inside the transaction that stored it."""
    if target is not None and target.is_remote:
        RecordingCopy.objects.get_or_create(recording=recording, defaults={"target": target})


def redirect(copy: RecordingCopy, target_id: UUID | None) -> None:
    """Copy the recording to another storage than was ordered. A worker that copies it now loses its lease. Must run
    inside a transaction.
    """
    rows = RecordingCopy.objects.filter(pk=copy.pk, date_due=copy.date_due)
    now = clock.now()
    if rows.update(target_id=target_id, upload_id="", copied=0, tries=0, reason=None, date_due=now):
        due = max(copy.date_due, now) + LEASE
        doom(copy.pk, copy.recording.path, copy.target_id, date_due=due, upload_id=copy.upload_id)


def copy_due(*, actor: Actor, local: ReplayStorage, limit_s: float) -> int:
    """Copy recordings that are due, until the time has passed; returns how many lie in their storage now."""
    if not _TURN.acquire(blocking=False):
        return 0
    try:
        return _copy_due(actor, local, limit_s)
    finally:
        _TURN.release()


def _copy_due(actor: Actor, local: ReplayStorage, limit_s: float) -> int:
    done, until_s = 0, monotonic_s() + limit_s
    served: dict[_Way, int] = {}
    while monotonic_s() < until_s:
        copy = _claim(served)
        if copy is None:
            break
        way = (copy.recording.storage_id, copy.target_id)
        served[way] = served.get(way, 0) + 1
        done += _try(actor, copy, local)
    return done


def _due(way: _Way) -> QuerySet[RecordingCopy]:
    """The copies from one storage to another that are due. The one that failed most often shows whether it works."""
    due = RecordingCopy.objects.filter(date_due__lte=clock.now(), recording__storage_id=way[0], target_id=way[1])
    return due.order_by("date_due", "-tries", "recording")


def _claim(served: Mapping[_Way, int]) -> RecordingCopy | None:
    """Take a row that is due. The ways from storage to storage take turns, so that a slow one does not hold up others."""
    now = clock.now()
    ways = RecordingCopy.objects.filter(date_due__lte=now).order_by().values_list("recording__storage_id", "target_id")
    for way in sorted(ways.distinct(), key=lambda way: (served.get(way, 0), str(way))):
        for copy in _due(way).select_related("recording")[:20]:
            until = now + LEASE
            if RecordingCopy.objects.filter(pk=copy.pk, date_due=copy.date_due).update(
                date_due=until, tries=F("tries") + 1
            ):
                copy.date_due = until
                copy.tries += 1
                return copy
    return None


def _try(actor: Actor, copy: RecordingCopy, local: ReplayStorage) -> bool:
    try:
        place = _copy(copy, local)
    except _Superseded:
        return False
    except _Waits:
        RecordingCopy.objects.filter(pk=copy.pk, date_due=copy.date_due).update(date_due=clock.now() + _FIRST_WAIT)
        return False
    except _CopyDiffers as error:
        _record_difference(actor, copy, is_damaged=error.is_damaged)
        return _failed(copy, _DAMAGED.say() if error.is_damaged else _DIFFERS.say())
    except FileNotFoundError:
        return _failed(copy, MISSING.say())
    except StorageFailed as error:
        return _failed(copy, error.sentence, holds_up=True)
    except PosternError as error:  # the secret store
        return _failed(copy, error.sentence)
    except OSError as error:
        log.error("a recording could not be copied; another try follows: %s", error)  # noqa: TRY400 - no trace wanted
        return _failed(copy, UNUSABLE.say())
    except Exception:  # a defect: the other recordings must be copied, and a person must see that this one is not
        log.exception("a recording could not be copied; another try follows")
        return _failed(copy, UNUSABLE.say())
    return _switch(actor, copy, place)


def _copy(copy: RecordingCopy, local: ReplayStorage) -> _Meta:
    """Copy the file and prove the copy; returns where the copy is. Raises OSError, PosternError, _Waits, _Superseded,
    _CopyDiffers.
    """
    recording, progress = copy.recording, _Progress(copy)
    if DoomedFile.objects.filter(session_id=recording.pk, storage_id=copy.target_id).exists():
        raise _Waits
    place = _place_of(copy.target_id)  # read before the connection is made, so that every later change is noticed
    source, target = store_of(recording.storage_id, local), store_of(copy.target_id, local)
    free = target.free_bytes()
    if free is not None and free < recording.size + _RESERVE_BYTES:
        raise StorageFailed(_FULL.say())
    with source.open(recording.path) as file:
        target.copy_in(recording.path, file, Content(recording.size, recording.sha256), progress)
    if _digest(target, recording.path, progress) == recording.sha256:
        return place
    is_damaged = _digest(source, recording.path, progress) != recording.sha256
    progress.renew()  # a worker that stood still must not delete what another one has copied
    target.delete(recording.path)
    progress.begin("")
    raise _CopyDiffers(is_damaged=is_damaged)


def _digest(store: RecordingStore, path: str, progress: _Progress) -> str:
    """Hex SHA-256 of a stored file, read back from its storage."""
    hasher = hashlib.sha256()
    with store.open(path) as file:
        while piece := file.read(_PIECE_BYTES):
            hasher.update(piece)
            progress.reading()
    return hasher.hexdigest()


@write_transaction()
def _switch(actor: Actor, copy: RecordingCopy, place: _Meta) -> bool:
    """The recording lies in the target from now on. False when it was deleted, or another worker has it, or the target is
    at another place by now.
    """
    if copy.target_id is not None:
        row_locks.lock(StorageRow, [copy.target_id])
    lifecycle.lock(Session.objects.filter(pk=copy.recording_id))
    held = RecordingCopy.objects.select_for_update(of=("self",)).filter(pk=copy.pk, date_due=copy.date_due)
    current = held.select_related("recording__session").first()
    if current is None:
        return False
    if _place_of(current.target_id) != place:
        log.warning("the recording of session %s is copied again: its storage has another endpoint", copy.recording_id)
        held.update(date_due=clock.now(), upload_id="", copied=0)
        return False
    recording = current.recording
    source_id, now = recording.storage_id, clock.now()
    recording.storage_id = current.target_id
    recording.save(update_fields=["storage"])
    current.delete()
    doom(recording.pk, recording.path, source_id, date_due=now if source_id is None else now + _GRACE)
    session = recording.session
    audits.record(
        actor=actor,
        org_id=session.org_id,
        event=audits.Event.RECORDING_MOVED,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        old={"storage": name_of(source_id)},
        new={"storage": name_of(recording.storage_id), "sha256": recording.sha256, "size": recording.size},
    )
    return True


def _place_of(storage_id: UUID | None) -> _Meta:
    """The endpoint and the bucket of a storage, as they are stored."""
    return StorageRow.objects.filter(pk=storage_id).values_list("meta", flat=True).first() if storage_id else None


def doom(
    session_id: UUID, path: str, storage_id: UUID | None, *, date_due: datetime | None = None, upload_id: str = ""
) -> None:
    """Note a file that is to be deleted. Must run inside a transaction."""
    DoomedFile.objects.create(
        session_id=session_id,
        path=path,
        storage_id=storage_id,
        upload_id=upload_id,
        date_due=date_due or clock.now(),
    )


def failing_copies(most: int) -> int:
    """Number of recordings that could not be copied to their storage for so long that it needs a person, up to `most`."""
    return RecordingCopy.objects.filter(tries__gte=_TOLD_AT, reason__isnull=False).order_by()[:most].count()


def name_of(storage_id: UUID | None) -> str:
    """The name of a storage for records; "default" for the folder of this server."""
    if storage_id is None:
        return "default"
    return StorageRow.objects.filter(pk=storage_id).values_list("name", flat=True).first() or str(storage_id)


@transaction.atomic
def _failed(copy: RecordingCopy, reason: Sentence, *, holds_up: bool = False) -> bool:
    """Try again later. The source stays. `holds_up`: the other copies of the same way would fail, too, and wait as long.

    Administrators are told when it has failed for a while.
    """
    due = clock.now() + min(_FIRST_WAIT * 2 ** min(copy.tries - 1, 10), _MOST_WAIT)
    rows = RecordingCopy.objects.filter(pk=copy.pk, date_due=copy.date_due)
    is_ours = rows.update(date_due=due, reason=stored(reason), upload_id=copy.upload_id)
    if is_ours and copy.tries == _TOLD_AT:
        number = RecordingCopy.objects.filter(target_id=copy.target_id).count()
        events.publish(RecordingsNotCopied(copy.target_id, name_of(copy.target_id), number))
    if holds_up:
        waiting = list(_due((copy.recording.storage_id, copy.target_id)).values_list("pk", flat=True))
        for first in range(0, len(waiting), _AT_ONCE):
            chosen = waiting[first : first + _AT_ONCE]
            RecordingCopy.objects.filter(pk__in=chosen, date_due__lte=clock.now()).update(date_due=due)
    log.warning("the recording of session %s was not copied: %s", copy.recording_id, reason)
    return False


@transaction.atomic
def _record_difference(actor: Actor, copy: RecordingCopy, *, is_damaged: bool) -> None:
    session = Session.objects.filter(pk=copy.recording_id).first()
    if session is None:
        return
    audits.record(
        actor=actor,
        org_id=session.org_id,
        event=audits.Event.RECORDING_COPY_REFUSED,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        new={
            "storage": name_of(copy.target_id),
            "sha256": copy.recording.sha256,
            "recording_itself_differs": is_damaged,
        },
    )
