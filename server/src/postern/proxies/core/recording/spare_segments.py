"""Keeps one zeroed segment ready, in its own thread. Zeroing 16 MB must not delay a write or a commit."""

import logging
import threading
from typing import Final

from postern.kernel.clock import monotonic_s
from postern.proxies.core.recording.disk import measure_disk
from postern.proxies.core.recording.journal_files import JournalFolder

log = logging.getLogger(__name__)

_RETRY_S: Final = 1.0
_WARN_EACH_S: Final = 30.0


class SpareSegments:
    """`take` returns the next segment. The thread prepares the one after it and watches the free space of the
    volume.
    """

    def __init__(self, folder: JournalFolder, segment_bytes: int, reserve_bytes: int) -> None:
        self._folder = folder
        self._segment_bytes = segment_bytes
        self._reserve_bytes = reserve_bytes
        self._lock = threading.Lock()
        self._wanted = threading.Event()
        self._stopping = False
        self._next_warning_s = 0.0
        self._thread = threading.Thread(target=self._run, name="journal-spare", daemon=True)

    def start(self) -> None:
        self._wanted.set()
        self._thread.start()

    def stop(self, limit_s: float) -> None:
        self._stopping = True
        self._wanted.set()
        self._thread.join(limit_s)

    def take(self, number: int) -> int:
        """Return the descriptor of segment `number`. Raises OSError if there is no space for it.

        Waits for the zeroing only if more than a segment was written since the last call.
        """
        self._prepare()
        descriptor = self._folder.take_spare(number)
        self._wanted.set()
        return descriptor

    def _prepare(self) -> None:
        with self._lock:
            if not self._folder.has_spare():
                self._folder.prepare_spare(self._segment_bytes)

    def _run(self) -> None:
        while True:
            self._wanted.wait(_RETRY_S)
            self._wanted.clear()
            if self._stopping:
                return
            try:
                self._prepare()
                self._warn_when_scarce()
            except OSError as error:
                # No loss yet: sessions continue in the current segment, and fail only when it is full.
                self._warn("no room for the next segment of the journal: %s", error)

    def _warn_when_scarce(self) -> None:
        disk = measure_disk(self._folder.path, self._reserve_bytes)
        if disk.level == "refuse":
            self._warn("the volume of the recordings has %d MB left: no new sessions", disk.free_bytes >> 20)
        elif disk.level == "warn":
            self._warn("the volume of the recordings has only %d MB left", disk.free_bytes >> 20)

    def _warn(self, text: str, value: object) -> None:
        if monotonic_s() >= self._next_warning_s:
            self._next_warning_s = monotonic_s() + _WARN_EACH_S
            log.warning(text, value)
