"""Writes the index of recordings, in small transactions, so that nobody else waits for them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from time import sleep
from typing import Final
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Q, QuerySet

from postern.apps.sessions.search import keys
from postern.apps.sessions.search.models import MOST_TRIES, RecordingIndex, RecordingPiece
from postern.apps.sessions.sessions.models import Session
from postern.contracts.search import marks
from postern.contracts.search.folding import number_of
from postern.contracts.search.pieces import Piece
from postern.foundation.phrases import stored
from postern.kernel import clock
from postern.kernel.clock import monotonic_s
from postern.kernel.sentences import Sentence

#: How long a worker may be silent.
LEASE: Final = timedelta(minutes=10)
#: After a failure: a minute, then four times as long each time.
_FIRST_WAIT: Final = timedelta(minutes=1)
#: The longest pause of a recording whose storage fails. It is tried without end.
_LONGEST_WAIT: Final = timedelta(hours=6)
#: How long the index of a recording that is about to be deleted stays empty if the deletion fails.
_WITHDRAWN: Final = timedelta(hours=1)
#: Pieces that are written or deleted in one transaction.
PIECES_AT_ONCE: Final = 4
#: Other rows that are changed in one statement.
_ROWS_AT_ONCE: Final = 500
#: SQLite has one writer at a time: others get their turn for twice as long as each write took.
_PAUSES: Final = 2.0

#: A piece, and the numbers of its grams.
Written = tuple[Piece, Sequence[int]]


class Superseded(Exception):
    """The row was deleted, or another worker has it, or the search was switched off."""


@contextmanager
def turns() -> Iterator[None]:
    """Around a transaction of many: other writers of SQLite get their turn after it."""
    started_s = monotonic_s()
    yield
    if connection.vendor == "sqlite":
        sleep(_PAUSES * (monotonic_s() - started_s))


def queue(session: Session) -> None:
    """Let a worker index the stored recording of a session. Must run inside the transaction that stored it."""
    copied = {"date_start": session.date_start, "org_id": session.org_id}
    RecordingIndex.objects.get_or_create(session=session, defaults=copied)


def claim() -> RecordingIndex | None:
    """Take the newest recording that is due; None when none is."""
    now = clock.now()
    for row in _due(now).order_by("-date_start", "session")[:20]:
        if _held(row).update(date_due=now + LEASE):
            row.date_due = now + LEASE
            return row
    return None


def _due(now: datetime) -> QuerySet[RecordingIndex]:
    return RecordingIndex.objects.filter(date_indexed__isnull=True, tries__lt=MOST_TRIES, date_due__lte=now)


def _held(row: RecordingIndex) -> QuerySet[RecordingIndex]:
    """The row, as long as nobody else took it or withdrew it."""
    return RecordingIndex.objects.filter(pk=row.pk, date_due=row.date_due, date_indexed__isnull=True)


def renew(row: RecordingIndex) -> None:
    """Renew the lease. Raises Superseded."""
    until = clock.now() + LEASE
    if not _held(row).update(date_due=until):
        raise Superseded
    row.date_due = until


def begin(row: RecordingIndex) -> None:
    """Delete what an interrupted worker has left of a claimed row, and give it its place. Raises Superseded."""
    while True:
        with turns(), transaction.atomic():
            renew(row)
            if not _delete_some(row.pk):
                break
    place = keys.first_place(row.date_start)
    while row.place is None:
        try:
            with transaction.atomic():
                if not _held(row).update(place=place):
                    raise Superseded
            row.place = place
        except IntegrityError:  # another recording of the same millisecond has it
            place += 1


def add(row: RecordingIndex, first: int, pieces: Sequence[Written], session: Session) -> None:
    """Store pieces of a row that was begun, numbered from `first` on. Nobody sees them before `finish`. Raises
    Superseded.
    """
    if row.place is None:
        raise Superseded
    key = keys.of_recording(row.place).start + first
    of_session = (marks.organization(session.org_id), marks.user(session.user_id), marks.asset(session.asset_id))
    with transaction.atomic():
        renew(row)
        if connection.vendor == "postgresql":
            _insert_with_grams(row, key, pieces, of_session)
            return
        RecordingPiece.objects.bulk_create(
            RecordingPiece(
                id=key + place,
                index=row,
                first_ms=piece.first_ms,
                last_ms=piece.last_ms,
                marks=marks.joined(_marks(piece, of_session)),
                lines=piece.lines,
            )
            for place, (piece, _grams) in enumerate(pieces)
        )


def _marks(piece: Piece, of_session: Sequence[str]) -> list[str]:
    return [*of_session, *map(marks.kind, piece.kinds)]


def _insert_with_grams(row: RecordingIndex, key: int, pieces: Sequence[Written], of_session: Sequence[str]) -> None:
    rows = []
    for place, (piece, grams) in enumerate(pieces):
        own = _marks(piece, of_session)
        numbers = [*grams, *map(number_of, own)]
        times = piece.first_ms, piece.last_ms
        rows.append((key + place, row.pk, *times, marks.joined(own), piece.lines, numbers))
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO sessions_recordingpiece (id, index_id, first_ms, last_ms, marks, lines, grams) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s::integer[])",
            rows,
        )


def finish(row: RecordingIndex, *, is_whole: bool, recorded_at: datetime) -> None:
    """The pieces of a claimed row are complete, and can be found from now on. Raises Superseded."""
    now = clock.now()
    if not _held(row).update(date_indexed=now, is_whole=is_whole, date_recorded=recorded_at, reason=None, faults=0):
        raise Superseded


def fail(row: RecordingIndex, reason: Sentence, *, is_unreadable: bool, beside: Q | None = None) -> None:
    """Note why a claimed row was not indexed. It is tried again after a pause that grows.

    `is_unreadable`: the fault is in the recording. After `MOST_TRIES` of them nobody tries again. `beside`: the rows that
    would fail for the same reason. They wait as long.
    """
    column, before = ("tries", row.tries) if is_unreadable else ("faults", row.faults)
    wait = _FIRST_WAIT * 4 ** min(before, MOST_TRIES)
    due = clock.now() + (wait if is_unreadable else min(wait, _LONGEST_WAIT))
    _held(row).update(date_due=due, reason=stored(reason), **{column: min(before + 1, 2**15 - 1)})
    if beside is None:
        return
    now = clock.now()
    while chosen := list(_due(now).filter(beside).order_by().values_list("pk", flat=True)[:_ROWS_AT_ONCE]):
        _due(now).filter(pk__in=chosen).update(date_due=due)


def postpone(row: RecordingIndex) -> None:
    """The session has not ended yet, or the recording is not there: look again later."""
    _held(row).update(date_due=clock.now() + _FIRST_WAIT)


def release(row: RecordingIndex) -> None:
    """Give back a claimed row that was not begun."""
    _held(row).update(date_due=clock.now())


def withdraw(session_id: UUID) -> None:
    """Hide the index of a recording that is about to be deleted at once, and delete its pieces bit by bit.

    A worker that indexes it now stops, and none begins again before the deletion.
    """
    _withdraw(session_id, due=clock.now() + _WITHDRAWN)


def withdraw_all() -> int:
    """Delete the whole index, because the search was switched off; returns how many recordings had one."""
    rows = RecordingIndex.objects.filter(date_indexed__isnull=False)
    begun = RecordingPiece.objects.order_by("index").values_list("index_id", flat=True).distinct()
    count = 0
    while chosen := {*rows.values_list("pk", flat=True)[:100], *begun[:100]}:
        for key in chosen:
            _withdraw(key, due=clock.now())
        count += len(chosen)
    return count


def _withdraw(session_id: UUID, *, due: datetime) -> None:
    hidden = {"date_indexed": None, "date_due": due, "tries": 0, "faults": 0, "reason": None}
    RecordingIndex.objects.filter(pk=session_id).update(**hidden)
    while True:
        with turns(), transaction.atomic():
            if not _delete_some(session_id):
                return


def _delete_some(session_id: UUID) -> bool:
    """Delete a few pieces; returns whether there were any."""
    chosen = RecordingPiece.objects.filter(index_id=session_id).order_by("-id").values_list("pk", flat=True)
    count, _by_model = RecordingPiece.objects.filter(pk__in=list(chosen[:PIECES_AT_ONCE])).delete()
    return bool(count)
