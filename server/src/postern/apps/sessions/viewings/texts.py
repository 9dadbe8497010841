"""The text of a recording, made by a process of its own (`contracts/transcript/program.py`).

The process writes to a file without a name, which is sent meanwhile. So a slow client holds up no process, and there are
never more than `MOST_WRITTEN` of them.
"""

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import IO, ClassVar, Final

from django.utils.translation import gettext as _

from postern.apps.sessions.recordings.errors import ReplayUnavailable
from postern.apps.sessions.viewings.opening import OpenRecording
from postern.contracts.recording.format import RecordingUnreadable
from postern.kernel.clock import monotonic_s

#: Processes at once: each takes a good part of a core.
MOST_WRITTEN: Final = 2
_PROGRAM: Final = "postern.contracts.transcript.program"
_PIECE_BYTES: Final = 256 * 1024
#: The exit statuses of the program after which the text is whole, or says itself why it is not.
_TOLD: Final = (0, 3)
#: How long one look for the next bytes waits for the process.
_LOOK_S: Final = 0.05
#: For fetching a recording from another machine: at least, and for each MB.
_LEAST_S: Final = 300.0
_MB_S: Final = 1.0
#: Waiting for a process takes a thread. Those that all answers share must not wait for minutes.
_THREADS: Final = ThreadPoolExecutor(2 * MOST_WRITTEN, thread_name_prefix="text of a recording")


class TextOfRecording:
    """The text while it is written. `close` may be called by any thread, and more than once.

    The process of a recording of this machine begins at once. Raises ReplayUnavailable when there are too many; a
    recording of another machine waits for its turn when it has been fetched.
    """

    #: The processes that have not been seen to end.
    _running: ClassVar[list[subprocess.Popen[bytes]]] = []
    _turn: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, source: OpenRecording, size: int, *, times: bool) -> None:
        self._source = source
        self._size = size
        self._arguments = ["times"] if times else []
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        self._text = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        if source.threads is None and not self._start(source.file):
            self.close()
            raise ReplayUnavailable(
                _("Too many replays are being turned into text at the moment. Try again in a few seconds.")
            )

    @property
    def threads(self) -> ThreadPoolExecutor:
        """In which the pieces are to be read."""
        return self._source.threads or _THREADS

    def pieces(self) -> Iterator[bytes]:
        """UTF-8. Raises OSError, StorageFailed; RecordingUnreadable when the process ended early."""
        if self._source.threads is not None:
            self._fetch()
        offset = 0
        while True:
            has_ended = self._has_ended()
            piece = self._read(offset)
            offset += len(piece)
            if piece:
                yield piece
            elif has_ended:
                break
        if self._status() not in _TOLD:
            raise RecordingUnreadable("the process that reads the recording ended early")

    def _fetch(self) -> None:
        """Start the process with a copy of a recording that lies on another machine, because it reads a file."""
        until_s = monotonic_s() + _LEAST_S + self._size / 1_000_000 * _MB_S
        with tempfile.TemporaryFile() as copy:
            while piece := self._source.file.read(_PIECE_BYTES):
                copy.write(piece)
                if monotonic_s() > until_s:
                    raise TimeoutError("the storage is too slow")
            copy.seek(0)
            while not self._start(copy):
                if self._is_closed or monotonic_s() > until_s:
                    raise TimeoutError("no process became free")
                threading.Event().wait(_LOOK_S)

    def _start(self, file: IO[bytes]) -> bool:
        """Start the process, unless there are too many."""
        with self._turn, self._lock:
            self._running[:] = [process for process in self._running if process.poll() is None]
            if len(self._running) >= MOST_WRITTEN or self._is_closed:
                return False
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-I", "-X", "utf8", "-m", _PROGRAM, *self._arguments],
                stdin=file,
                stdout=self._text,
                stderr=subprocess.DEVNULL,
                cwd=os.sep,
                env={"PATH": os.defpath},
                start_new_session=True,
            )
            self._running.append(self._process)
            return True

    def _has_ended(self) -> bool:
        """Whether the process will write nothing more; waits for a moment."""
        with self._lock:
            process = self._process
        if process is None:
            return True
        try:
            process.wait(_LOOK_S)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _read(self, offset: int) -> bytes:
        with self._lock:
            return b"" if self._is_closed else os.pread(self._text.fileno(), _PIECE_BYTES, offset)

    def _status(self) -> int | None:
        with self._lock:
            return None if self._is_closed or self._process is None else self._process.wait()

    def close(self) -> None:
        """Stop the process and close the recording."""
        with self._lock:
            self._is_closed = True
            if self._process is not None:
                self._process.kill()
                self._process.wait()
            self._text.close()
        self._source.close()
