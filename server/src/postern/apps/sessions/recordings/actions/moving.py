"""Moves all recordings of a storage to another, while sessions are recorded and recordings are played.

A `RecordingMove` says what is wanted. Each run queues some of the recordings that still lie in the source; `copying` copies
them. Recordings that are stored after the move was ordered stay out of it: its end would never come.
"""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.sessions.recordings.actions.copying import name_of, redirect
from postern.apps.sessions.recordings.models import Recording, RecordingCopy, RecordingMove
from postern.apps.sessions.storages.models import ReplayStorage
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks
from postern.foundation.database.write_transaction import write_transaction
from postern.foundation.phrases import why
from postern.kernel.errors import Conflict, PosternError
from postern.kernel.ids import ROOT_ORG_ID

#: Recordings that a run queues, so that its transaction is short.
_AT_ONCE: Final = 500


class NotMoved(PosternError):
    """Recordings cannot be moved there."""

    code = "invalid"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.fields = {"target": [message]}


class MoveRunning(Conflict):
    """The recordings of this storage are being moved already."""

    code = "move_running"


@dataclass(frozen=True, slots=True)
class MoveState:
    """How far the move of a storage's recordings is. `target` is None when none is running.

    `recordings`: all that lie in the storage. `waiting`: recordings on their way to the storage. `failing`: those of them whose last try failed, and why the latest.
    """

    target: str | None
    recordings: int
    total: int
    left: int
    waiting: int
    failing: int
    reason: str


@write_transaction()
def start_move(*, actor: Actor, source: ReplayStorage, target: ReplayStorage) -> RecordingMove:
    """Order the move. Raises NotMoved, MoveRunning."""
    row_locks.share(ReplayStorage, (), required={source.pk, target.pk})
    source_id, target_id = _place(source), _place(target)
    if source.keeps_nothing:
        raise NotMoved(_("This storage keeps nothing, so there is nothing to move."))
    if target.keeps_nothing:
        raise NotMoved(_("This storage keeps nothing. Choose a storage that keeps what it gets."))
    if source_id == target_id:
        raise NotMoved(_("The recordings lie there already."))
    move = RecordingMove(
        source_id=source_id, target_id=target_id, source_key=_key(source_id), created_by=actor.label[:128]
    )
    if RecordingMove.objects.filter(source_id=target_id, target_id=source_id).exists():
        raise MoveRunning(_("Recordings are being moved from there to here. Wait until this is done."))
    move.total = _left(move).count()
    try:
        with transaction.atomic():
            move.save(force_insert=True)
    except IntegrityError:
        raise MoveRunning(_("The recordings of this storage are being moved already.")) from None
    _record(actor, audits.Event.RECORDINGS_MOVE_STARTED, source, move)
    return move


def state_of(storage: ReplayStorage) -> MoveState:
    """How far the move of the recordings of a storage is, and what is on its way to it."""
    place = _place(storage)
    move = RecordingMove.objects.filter(source_id=place).first()
    copies = RecordingCopy.objects.filter(target_id=place)
    failing = copies.filter(reason__isnull=False)
    if move is not None:
        failing = failing | RecordingCopy.objects.filter(recording__storage_id=place, reason__isnull=False)
    latest = failing.order_by("-date_due").first()
    return MoveState(
        target=name_of(move.target_id) if move is not None else None,
        recordings=Recording.objects.filter(storage_id=place, date_stored__isnull=False).count(),
        total=move.total if move is not None else 0,
        left=_left(move).count() if move is not None else 0,
        waiting=copies.count(),
        failing=failing.count(),
        reason=why(latest.reason, "") if latest is not None else "",
    )


def queue_moves(*, actor: Actor) -> int:
    """Queue some recordings of each move, and end the moves whose source has none left; returns the number of queued."""
    return sum(_queue(actor, key) for key in RecordingMove.objects.values_list("pk", flat=True))


@write_transaction()
def _queue(actor: Actor, key: UUID) -> int:
    move = RecordingMove.objects.select_for_update(of=("self",)).filter(pk=key).first()
    if move is None:
        return 0
    if not _left(move).exists():
        move.delete()
        source = ReplayStorage.objects.filter(pk=move.source_id).first() if move.source_id else None
        _record(actor, audits.Event.RECORDINGS_MOVE_FINISHED, source, move)
        return 0
    copies = RecordingCopy.objects.filter(recording__in=_left(move)).select_related("recording")
    elsewhere = copies.exclude(target_id=move.target_id) if move.target_id else copies.filter(target__isnull=False)
    for copy in elsewhere[:_AT_ONCE]:
        redirect(copy, move.target_id)
    if copies.count() >= _AT_ONCE:
        return 0
    chosen = list(_left(move).filter(copy=None).order_by("pk")[:_AT_ONCE])
    made = RecordingCopy.objects.bulk_create(
        [RecordingCopy(recording=recording, target_id=move.target_id) for recording in chosen], ignore_conflicts=True
    )
    return len(made)


def _left(move: RecordingMove) -> QuerySet[Recording]:
    """The recordings of the move that still lie in its source."""
    return Recording.objects.filter(storage_id=move.source_id, date_stored__lte=move.date_created)


def _place(storage: ReplayStorage) -> UUID | None:
    """The storage as recordings name it."""
    return storage.pk if storage.is_remote else None


def _key(storage_id: UUID | None) -> str:
    return str(storage_id) if storage_id is not None else ""


def _record(actor: Actor, event: audits.Event, source: ReplayStorage | None, move: RecordingMove) -> None:
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=event,
        object_type="ReplayStorage",
        object_id=str(source.pk) if source is not None else "",
        object_name=name_of(move.source_id),
        new={"target": name_of(move.target_id), "recordings": move.total, "by": move.created_by},
    )
