"""Indexes the lines of stored recordings for the search, the newest first, beside everything else.

A recording is read by a process of its own with the lowest priority (`contracts/search/program.py`), one at a time. Its
pieces are written in small transactions and can be found when the last of them has set `date_indexed`. So a worker that
is killed leaves nothing that anybody sees, and the next one begins again. Commands and file names are lines of the same
index, in the order of time.
"""

import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import IO, Final

from django.db import connection
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from postern.apps.preferences import facade as preferences
from postern.apps.sessions.commands.models import Command
from postern.apps.sessions.recordings.errors import MISSING, UNUSABLE
from postern.apps.sessions.recordings.models import Recording
from postern.apps.sessions.recordings.storage import store_of
from postern.apps.sessions.search import actions as search
from postern.apps.sessions.search.actions import PIECES_AT_ONCE, Superseded
from postern.apps.sessions.search.models import RecordingIndex
from postern.apps.sessions.transfers.models import FileTransfer
from postern.contracts.enums import CommandKind, SessionState
from postern.contracts.search.lines import Line, LineKind, cut
from postern.contracts.search.program import Ended, Packed, ReadingFailed, frames
from postern.foundation.database.connections import release_connections
from postern.foundation.phrases import Phrase
from postern.integrations.replay_storages.failures import StorageFailed
from postern.integrations.replay_storages.port import ReplayStorage
from postern.kernel.clock import monotonic_s
from postern.kernel.errors import PosternError
from postern.kernel.sentences import Sentence

log = logging.getLogger(__name__)

SETTING: Final = "TERMINAL_SEARCH_RECORDINGS"
#: For reading a recording that is here. Fetching it has no limit, as long as its storage sends.
_READ_S: Final = 3_600.0
_PIECE_BYTES: Final = 1024 * 1024
#: While a recording is fetched, its row is renewed so often.
_RENEW_S: Final = 60.0
#: Commands, and files, of one session.
_MOST_OTHERS: Final = 20_000
#: One run at a time in a process.
_TURN: Final = threading.Lock()
_PROGRAM: Final = "postern.contracts.search.program"
#: Control characters of commands and file names become blanks.
_BLANKS: Final = dict.fromkeys((*range(32), *range(127, 160), 8232, 8233), " ")

_UNREADABLE: Final = Phrase("recording.not_indexed", _("The recording could not be read. Verify it on its page."))


def index_due(*, local: ReplayStorage, limit_s: float) -> int:
    """Index recordings until the time has passed; returns how many. Deletes the index when the search is off."""
    if not _TURN.acquire(blocking=False):
        return 0
    try:
        if not preferences.get_bool(SETTING):
            return search.withdraw_all()
        return _index_due(local, limit_s)
    finally:
        _TURN.release()


def _index_due(local: ReplayStorage, limit_s: float) -> int:
    count, until_s = 0, monotonic_s() + limit_s
    while monotonic_s() < until_s:
        row = search.claim()
        if row is None:
            break
        count += _try(row, local)
    return count


def _try(row: RecordingIndex, local: ReplayStorage) -> bool:
    recording = Recording.objects.filter(pk=row.pk, date_stored__isnull=False).select_related("session").first()
    if recording is None or recording.session.state != SessionState.ENDED:
        search.postpone(row)
        return False
    try:
        _index(row, recording, local)
    except Superseded:
        return False
    except Exception as error:  # noqa: BLE001 - also a defect: the other recordings must be indexed; `_reason` logs it
        reason, beside = _reason(error), None
        if isinstance(error, StorageFailed) and recording.storage_id is not None:
            beside = Q(session__recording__storage_id=recording.storage_id)  # a dead storage holds up no other
        search.fail(row, reason, is_unreadable=isinstance(error, ReadingFailed), beside=beside)
        log.warning("the recording of session %s was not indexed: %s", row.pk, reason)
        return False
    return True


def _reason(error: Exception) -> Sentence:
    match error:
        case FileNotFoundError():
            return MISSING.say()
        case StorageFailed() | PosternError():  # the latter: the secret store
            return error.sentence
        case ReadingFailed():
            return _UNREADABLE.say()
        case OSError():
            log.error("a recording could not be indexed: %s", error)
            return UNUSABLE.say()
        case _:
            log.error("a recording could not be indexed", exc_info=error)
            return _UNREADABLE.say()


def _index(row: RecordingIndex, recording: Recording, local: ReplayStorage) -> None:
    search.begin(row)
    with (
        _others(recording) as (others, are_whole),
        _file(row, recording, local) as file,
        _reading(file, others) as answer,
    ):
        read, first = frames(answer), 0
        while True:
            batch = list(islice(read, PIECES_AT_ONCE))
            if not preferences.get_bool(SETTING):
                search.release(row)
                raise Superseded
            pieces = [(packed.piece, packed.grams) for packed in batch if isinstance(packed, Packed)]
            if pieces:
                with search.turns():
                    search.add(row, first, pieces, recording.session)
            first += len(pieces)
            if batch and isinstance(batch[-1], Ended):
                is_whole = batch[-1].is_whole and are_whole
                search.finish(row, is_whole=is_whole, recorded_at=_instant(batch[-1].started_ms))
                return


def _instant(ms: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


@contextmanager
def _file(row: RecordingIndex, recording: Recording, local: ReplayStorage) -> Iterator[IO[bytes]]:
    """The recording as a file of this machine. Raises OSError, PosternError, Superseded."""
    store = store_of(recording.storage_id, local)
    if recording.storage_id is None:
        with store.open(recording.path) as file:
            yield file
        return
    release_connections()  # the bucket may hang
    with tempfile.TemporaryFile() as scratch:
        # Each range that the store reads has its own limit, so a storage that sends nothing ends this.
        with store.open(recording.path, size=recording.size) as source:
            renewed_s = monotonic_s()
            while piece := source.read(_PIECE_BYTES):
                scratch.write(piece)
                if monotonic_s() - renewed_s >= _RENEW_S:
                    search.renew(row)
                    release_connections()
                    renewed_s = monotonic_s()
        scratch.seek(0)
        yield scratch


@contextmanager
def _others(recording: Recording) -> Iterator[tuple[IO[bytes], bool]]:
    """The commands and the file names of a session as lines of JSON, in the order of time; and whether these are all."""
    commands = Command.objects.filter(session_id=recording.pk).exclude(kind=CommandKind.HIDDEN.value)
    files = FileTransfer.objects.filter(session_id=recording.pk)
    inputs = list(commands.order_by("offset_ms").values_list("offset_ms", "input")[: _MOST_OTHERS + 1])
    names = list(files.order_by("date_start").values_list("date_start", "filename")[: _MOST_OTHERS + 1])
    lines = [*_commands(inputs[:_MOST_OTHERS]), *_files(names[:_MOST_OTHERS], recording.session.date_start)]
    with tempfile.TemporaryFile() as file:
        for line in sorted(lines, key=lambda line: line.ms):
            file.write(json.dumps(line).encode() + b"\n")
        file.seek(0)
        yield file, max(len(inputs), len(names)) <= _MOST_OTHERS


def _commands(rows: Iterable[tuple[int, str]]) -> Iterator[Line]:
    for offset_ms, text in rows:
        yield from cut(max(0, offset_ms), LineKind.COMMAND, text.translate(_BLANKS).strip())


def _files(rows: Iterable[tuple[datetime, str]], date_start: datetime) -> Iterator[Line]:
    for begun, name in rows:
        ms = max(0, round((begun - date_start).total_seconds() * 1_000))
        yield from cut(ms, LineKind.FILE, name.translate(_BLANKS).strip())


@contextmanager
def _reading(recording: IO[bytes], others: IO[bytes]) -> Iterator[IO[bytes]]:
    """What the reading process answers. It is killed when the block is left, or when it takes too long."""
    descriptor = others.fileno()
    grams = ["grams"] if connection.vendor == "postgresql" else []
    with subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-I", "-X", "utf8", "-m", _PROGRAM, str(descriptor), *grams],
        stdin=recording,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=(descriptor,),
        cwd=os.sep,
        env={"PATH": os.defpath},
        start_new_session=True,
    ) as process:
        limit = threading.Timer(_READ_S, process.kill)
        limit.daemon = True
        limit.start()
        try:
            if process.stdout is None:
                raise AssertionError
            yield process.stdout
        finally:
            limit.cancel()
            process.kill()
