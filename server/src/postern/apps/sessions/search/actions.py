"""Writes the index of recordings, in small transactions, so that nobody else waits for them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet

from postern.apps.sessions.search.models import MOST_TRIES, RecordingIndex, RecordingPiece
from postern.apps.sessions.sessions.models import Session
from postern.contracts.search.pieces import Piece
from postern.foundation.phrases import stored
from postern.kernel import clock
from postern.kernel.sentences import Sentence

#: How long a worker may be silent.
LEASE: Final = timedelta(minutes=10)
#: After a failure: a minute, then four times as long each time.
_FIRST_WAIT: Final = timedelta(minutes=1)
#: Pieces that are written or deleted in one transaction.
PIECES_AT_ONCE: Final = 4
#: Other rows that are changed in one statement.
_ROWS_AT_ONCE: Final = 500


class Superseded(Exception):
    """The row was deleted, or another worker has it, or the search was switched off."""


def queue(session: Session) -> None:
    """Let a worker index the stored recording of a session. Must run inside the transaction that stored it."""
    RecordingIndex.objects.get_or_create(session=session, defaults={"date_start": session.date_start})


def claim() -> RecordingIndex | None:
    """Take the newest recording that is due; None when none is."""
    now = clock.now()
    for row in _due(now).order_by("-date_start", "session")[:20]:
        claimed = RecordingIndex.objects.filter(pk=row.pk, date_due=row.date_due, date_indexed__isnull=True)
        if claimed.update(date_due=now + LEASE, tries=F("tries") + 1):
            row.date_due = now + LEASE
            row.tries += 1
            return row
    return None


def _due(now: datetime) -> QuerySet[RecordingIndex]:
    return RecordingIndex.objects.filter(date_indexed__isnull=True, tries__lt=MOST_TRIES, date_due__lte=now)


def renew(row: RecordingIndex) -> None:
    """Renew the lease. Raises Superseded."""
    until = clock.now() + LEASE
    held = RecordingIndex.objects.filter(pk=row.pk, date_due=row.date_due, date_indexed__isnull=True)
    if not held.update(date_due=until):
        raise Superseded
    row.date_due = until


def add(row: RecordingIndex, first: int, pieces: Sequence[tuple[Piece, Sequence[int]]]) -> None:
    """Store pieces of a claimed row, numbered from `first` on. Nobody sees them before `finish`. Raises Superseded."""
    with transaction.atomic():
        renew(row)
        if connection.vendor == "postgresql":
            _insert_with_grams(row, first, pieces)
            return
        RecordingPiece.objects.bulk_create(
            RecordingPiece(
                index=row,
                number=first + place,
                first_ms=piece.first_ms,
                last_ms=piece.last_ms,
                kinds=piece.kinds,
                lines=piece.lines,
            )
            for place, (piece, _grams) in enumerate(pieces)
        )


def _insert_with_grams(row: RecordingIndex, first: int, pieces: Sequence[tuple[Piece, Sequence[int]]]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO sessions_recordingpiece (index_id, number, first_ms, last_ms, kinds, lines, grams) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s::integer[])",
            [
                (row.pk, first + place, piece.first_ms, piece.last_ms, piece.kinds, piece.lines, list(grams))
                for place, (piece, grams) in enumerate(pieces)
            ],
        )


def finish(row: RecordingIndex, *, is_whole: bool, recorded_at: datetime) -> None:
    """The pieces of a claimed row are complete, and can be found from now on. Raises Superseded."""
    held = RecordingIndex.objects.filter(pk=row.pk, date_due=row.date_due, date_indexed__isnull=True)
    now = clock.now()
    if not held.update(date_indexed=now, is_whole=is_whole, date_recorded=recorded_at, reason=None):
        raise Superseded


def fail(row: RecordingIndex, reason: Sentence, *, beside: Q | None = None) -> None:
    """Note why a claimed row was not indexed. Another try follows, until there were too many. `beside`: the rows that
    would fail for the same reason. They wait as long, which counts as no try.
    """
    due = clock.now() + _FIRST_WAIT * 4 ** min(row.tries - 1, MOST_TRIES)
    held = RecordingIndex.objects.filter(pk=row.pk, date_due=row.date_due, date_indexed__isnull=True)
    held.update(date_due=due, reason=stored(reason))
    if beside is None:
        return
    now = clock.now()
    while keys := list(_due(now).filter(beside).order_by().values_list("pk", flat=True)[:_ROWS_AT_ONCE]):
        _due(now).filter(pk__in=keys).update(date_due=due)


def postpone(row: RecordingIndex) -> None:
    """The session has not ended yet, or the recording is not there: look again later. Counts as no try."""
    held = RecordingIndex.objects.filter(pk=row.pk, date_due=row.date_due, date_indexed__isnull=True)
    held.update(date_due=clock.now() + _FIRST_WAIT, tries=F("tries") - 1)


def release(row: RecordingIndex) -> None:
    """Give back a claimed row that was not begun."""
    held = RecordingIndex.objects.filter(pk=row.pk, date_due=row.date_due, date_indexed__isnull=True)
    held.update(date_due=clock.now(), tries=F("tries") - 1)


def clear(row: RecordingIndex) -> None:
    """Delete what an interrupted worker has left of a claimed row. Raises Superseded."""
    while True:
        with transaction.atomic():
            renew(row)
            if not _delete_some(row.pk):
                return


def withdraw(session_id: UUID) -> None:
    """Hide the index of a recording at once, and delete its pieces bit by bit. A worker that indexes it now stops."""
    hidden = {"date_indexed": None, "date_due": clock.now(), "tries": 0, "reason": None}
    RecordingIndex.objects.filter(pk=session_id).update(**hidden)
    while True:
        with transaction.atomic():
            if not _delete_some(session_id):
                return


def withdraw_all() -> int:
    """Delete the whole index, because the search was switched off; returns how many recordings had one."""
    rows = RecordingIndex.objects.filter(date_indexed__isnull=False)
    begun = RecordingPiece.objects.order_by("index").values_list("index_id", flat=True).distinct()
    count = 0
    while keys := {*rows.values_list("pk", flat=True)[:100], *begun[:100]}:
        for key in keys:
            withdraw(key)
        count += len(keys)
    return count


def _delete_some(session_id: UUID) -> bool:
    """Delete a few pieces; returns whether there were any."""
    chosen = RecordingPiece.objects.filter(index_id=session_id).order_by("-number").values_list("pk", flat=True)
    count, _by_model = RecordingPiece.objects.filter(pk__in=list(chosen[:PIECES_AT_ONCE])).delete()
    return bool(count)
