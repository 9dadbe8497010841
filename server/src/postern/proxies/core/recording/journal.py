"""The proxy's write-ahead journal: every byte is written here before it is sent to the user.

One file holds the records of all sessions, so that one `fdatasync` every 400 ms in a thread covers all of them. A
killed proxy loses nothing that was shown, because the page cache survives it. A power cut loses at most those 400 ms.
Segments are zeroed in advance, so a commit changes no metadata. A separate process, the sealer, turns the journal into
session files.

A failed write or commit ends the recordings of all sessions immediately and is never retried. After a failed
`fdatasync` the kernel marks the pages as clean, so a second call would report success for lost bytes.
"""

import asyncio
import logging
import os
import threading
from collections import deque
from pathlib import Path
from typing import Final
from uuid import UUID

from postern.contracts.recording.format import RecordingHeader
from postern.kernel.clock import monotonic_ms, monotonic_s
from postern.proxies.core.recording.disk import DiskState, JournalStats, LatencyHistogram
from postern.proxies.core.recording.errors import RecordingFailed
from postern.proxies.core.recording.journal_files import JournalFolder, sync_directory
from postern.proxies.core.recording.journal_format import (
    BEGIN,
    MAX_DATA_BYTES,
    MIN_SEGMENT_BYTES,
    RECORD_HEADER,
    SEGMENT_END,
    encode_record,
    encode_segment_header,
)
from postern.proxies.core.recording.journal_room import JournalRoom
from postern.proxies.core.recording.recorder import OnFailure, Recorder, clamp_size
from postern.proxies.core.recording.spare_segments import SpareSegments

log = logging.getLogger(__name__)

#: A disk that has not finished a commit after this time counts as failed. Data that it has not written can be lost.
_STALLED_COMMIT_MS: Final = 10_000


class Journal:
    """All recordings of one proxy process. `start` it on the event loop, and `close` it after all sessions have
    ended.
    """

    def __init__(
        self,
        directory: Path,
        *,
        segment_bytes: int = 16 << 20,
        reserve_bytes: int = 1 << 30,
        commit_interval_s: float = 0.4,
    ) -> None:
        if segment_bytes < MIN_SEGMENT_BYTES:
            raise ValueError(f"a segment needs at least {MIN_SEGMENT_BYTES} bytes")
        self._directory = directory
        self._segment_bytes = segment_bytes
        self._room = JournalRoom(directory, reserve_bytes)
        self._commit_interval_s = commit_interval_s
        self._folder: JournalFolder | None = None
        self._lock_fd = -1
        self._fd = -1
        self._segment = 0
        self._position = 0
        self._next_number = 1
        self._open: dict[int, Recorder] = {}
        #: Held while the current segment changes, and while the committer collects what to sync. So the committer sees
        #: each segment either as current or as retired, with a mark that it needs a sync.
        self._segments_lock = threading.Lock()
        #: Descriptors of full segments. The committer syncs them once more and closes them.
        self._retired: deque[int] = deque()
        #: Descriptors of abandoned segments. The committer closes them without a sync, because it may be using them.
        self._abandoned: deque[int] = deque()
        self._names_dirty = False
        self._dirty_since_ms = 0
        self._broken: OSError | None = None
        #: Number of the failed segment until it is marked as failed.
        self._unmarked = 0
        self._latency = LatencyHistogram()
        self._written_bytes = 0
        self._sync_max_ms = 0.0
        self._spares: SpareSegments | None = None
        self._stop = threading.Event()
        self._committer: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Create the folder of this start, and begin to commit. Raises OSError if the folder cannot be created."""
        self._folder, self._lock_fd = JournalFolder.create(self._directory)
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:  # a script or test without an event loop: callbacks run in the committer's thread
            self._loop = None
        self._spares = SpareSegments(self._folder, self._segment_bytes, self._room.reserve_bytes)
        self._spares.start()
        self._committer = threading.Thread(target=self._commit_loop, name="journal-commit", daemon=True)
        self._committer.start()

    def close(self, limit_s: float = 15.0) -> None:
        """Commit the rest and close the files. Sessions that are still open will be sealed as incomplete.

        Waits at most `limit_s` for a disk that does not answer. The process may then exit without losing what it wrote.
        """
        ends_s = monotonic_s() + limit_s
        self._stop.set()
        if self._committer is not None:
            self._committer.join(limit_s)
        if self._spares is not None:
            self._spares.stop(max(0.0, ends_s - monotonic_s()))
        if self._committer is not None and self._committer.is_alive():
            # The committer may still use the files. A descriptor closed here could be reused for another file a moment
            # later.
            log.error("the journal's last commit did not finish; its files stay open")
            return
        for descriptor in (*self._retired, *self._abandoned, self._fd, self._lock_fd):
            if descriptor >= 0:
                os.close(descriptor)
        self._retired.clear()
        self._abandoned.clear()
        self._fd = self._lock_fd = -1

    # State

    @property
    def disk(self) -> DiskState:
        """Return the free space of the journal's volume, measured now."""
        return self._room.disk

    def is_at_reserve(self) -> bool:
        """Whether no new session may start because the volume is full or gone."""
        return self._room.is_at_reserve()

    @property
    def stats(self) -> JournalStats:
        return JournalStats(
            writes=self._latency.count,
            bytes=self._written_bytes,
            write_p50_us=self._latency.quantile_us(0.5),
            write_p99_us=self._latency.quantile_us(0.99),
            write_max_us=self._latency.max_us,
            sync_max_ms=self._sync_max_ms,
            unsynced_s=(monotonic_ms() - self._dirty_since_ms) / 1000 if self._dirty_since_ms else 0.0,
        )

    # Writing

    def open_session(
        self, session_id: UUID, columns: int, rows: int, header: RecordingHeader, person: UUID | None = None
    ) -> Recorder:
        """Start a recording. Raises `RecordingFailed` if the disk is at its reserve or the first record cannot be
        written.

        A size of 0 (no terminal) counts as 80x24. When the disk fills up, all sessions of one `person` count together.
        """
        self._room.require()
        if self._broken is not None:
            self._give_segment_up()
        columns, rows = clamp_size(columns, rows)
        begin = RecordingHeader(
            **{**header.__dict__, "session_id": session_id, "columns": columns, "rows": rows}
        ).encode()
        number = self._next_number
        self._next_number += 1
        recorder = self._open[number] = Recorder(self, number, session_id, person)
        try:
            self.write(number, BEGIN, begin)
        except RecordingFailed:
            self.forget(number)
            raise
        return recorder

    def forget(self, number: int) -> None:
        """Remove a session that has ended. Called by `Recorder`."""
        self._open.pop(number, None)

    def write(self, number: int, kind: int, data: bytes) -> None:
        """Append one event with one `write()` per record; long events take several records. Called by `Recorder`."""
        now_ms = monotonic_ms()
        if self._dirty_since_ms and now_ms - self._dirty_since_ms > _STALLED_COMMIT_MS:
            self._fail(OSError("the disk does not finish writing"))
        if self._broken is not None:
            raise RecordingFailed("the recording cannot be written")
        if len(data) <= MAX_DATA_BYTES:
            self._append(encode_record(number, kind, now_ms, data))
        else:
            view = memoryview(data)
            for start in range(0, len(data), MAX_DATA_BYTES):
                self._append(encode_record(number, kind, now_ms, bytes(view[start : start + MAX_DATA_BYTES])))
        size = RECORD_HEADER.size + len(data)
        recorder = self._open.get(number)
        if recorder is not None:
            recorder.recent_bytes += size
        if self._room.is_time_to_look(size):
            for writer in self._room.too_many(list(self._open.values())):
                self._make_room(writer)

    def _make_room(self, recorder: Recorder) -> None:
        """End one recording so that the others have space. Its written data stays."""
        log.error(
            "the recording disk is full: ended session %s, because its user's sessions write the most",
            recorder.session_id,
        )
        failure = RecordingFailed("the disk of the recordings is full, and your sessions wrote most", reserve=True)
        self._tell(recorder.fail(failure), failure)

    def _append(self, record: bytes) -> None:
        started_s = monotonic_s()
        try:
            if self._fd < 0 or self._position + len(record) + RECORD_HEADER.size > self._segment_bytes:
                self._next_segment()
            self._put(record)
        except OSError as error:
            self._fail(error)
            raise RecordingFailed("the recording cannot be written") from error
        if not self._dirty_since_ms:
            self._dirty_since_ms = monotonic_ms()
        self._written_bytes += len(record)
        self._latency.add(monotonic_s() - started_s)

    def _put(self, data: bytes) -> None:
        written = os.pwrite(self._fd, data, self._position)
        while written < len(data):  # a full disk accepts a part and refuses the rest
            more = os.pwrite(self._fd, data[written:], self._position + written)
            if more == 0:
                raise OSError("the disk took nothing")
            written += more
        self._position += len(data)

    def _next_segment(self) -> None:
        if self._spares is None:
            raise RuntimeError("the journal was not started")
        if self._fd >= 0:
            self._put(encode_record(0, SEGMENT_END, monotonic_ms(), b""))
            with self._segments_lock:
                self._retired.append(self._fd)
                self._fd = -1
        # Count the segment only once it exists. A reader takes a gap in the numbers for the end of the journal.
        self._fd = self._spares.take(self._segment + 1)
        self._segment += 1
        self._names_dirty = True
        self._position = 0
        self._put(encode_segment_header(self._segment))

    # Failing

    def _fail(self, error: OSError) -> None:
        """End all recordings. May be called from any thread."""
        if self._broken is not None:
            return
        self._broken = error
        log.error("the journal failed, all recordings were ended: %s", error)
        failure = RecordingFailed("the recording cannot be written")
        callbacks = [callback for recorder in list(self._open.values()) for callback in recorder.fail(failure)]
        self._open.clear()
        self._tell(callbacks, failure)
        if self._folder is not None and self._segment:
            self._unmarked = self._segment
            try:
                self._mark_failed(self._folder)
            except OSError:
                log.warning("the failed segment could not be marked; no session is recorded until it is")

    def _mark_failed(self, folder: JournalFolder) -> None:
        """Tell the sealer that the sessions open in the last segment have lost their end. Raises OSError."""
        if self._unmarked:
            folder.mark_failed(self._unmarked)
            self._unmarked = 0

    def _tell(self, callbacks: list[OnFailure], failure: RecordingFailed) -> None:
        for callback in callbacks:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(callback, failure)
            else:
                callback(failure)

    def _give_segment_up(self) -> None:
        """Continue with a new segment after a failure. The old segment keeps its data. Raises `RecordingFailed`.

        The old segment must be marked as failed first. It may already have its end record, and the sealer would then
        wait for the ends of its sessions.
        """
        try:
            self._mark_failed(self._require_folder())
        except OSError as error:
            raise RecordingFailed("the recording cannot be written") from error
        if self._fd >= 0:
            with self._segments_lock:
                self._abandoned.append(self._fd)
                self._fd = -1
        self._dirty_since_ms = 0
        self._broken = None

    # Committing, in its own thread

    def _commit_loop(self) -> None:
        while True:
            stopping = self._stop.wait(self._commit_interval_s)
            self._commit()
            if stopping:
                return

    def _commit(self) -> None:
        """Run one `fdatasync` for everything written before this call."""
        with self._segments_lock:
            abandoned = tuple(self._abandoned)
            self._abandoned.clear()
            retired: tuple[int, ...] = ()
            current = -1
            if self._broken is None:
                retired = tuple(self._retired)
                self._retired.clear()
                if self._dirty_since_ms:
                    current = self._fd
                    # Cleared first, so that a write during the sync counts for the next one.
                    self._dirty_since_ms = 0
        for descriptor in abandoned:
            os.close(descriptor)
        if not retired and current < 0:
            return
        started_s = monotonic_s()
        try:
            self._sync(retired, current)
        except OSError as error:
            self._fail(error)
        self._sync_max_ms = max(self._sync_max_ms, (monotonic_s() - started_s) * 1000)

    def _sync(self, retired: tuple[int, ...], current: int) -> None:
        """Sync and close full segments, then sync the folder's entries, then the current segment."""
        for number, descriptor in enumerate(retired):
            try:
                os.fdatasync(descriptor)
            except OSError:
                for left in retired[number + 1 :]:
                    os.close(left)
                raise
            finally:
                os.close(descriptor)
        if self._names_dirty:
            self._names_dirty = False
            sync_directory(self._require_folder().path)
        if current >= 0:
            os.fdatasync(current)

    def _require_folder(self) -> JournalFolder:
        if self._folder is None:
            raise RuntimeError("the journal was not started")
        return self._folder
