"""The text of a recording, made by a process of its own while it is sent (`contracts/transcript/program.py`)."""

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, Final

from postern.apps.sessions.viewings.opening import OpenRecording
from postern.contracts.recording.format import RecordingUnreadable

_PROGRAM: Final = "postern.contracts.transcript.program"
_PIECE_BYTES: Final = 256 * 1024
#: The exit statuses of the program after which the text is whole, or says itself why it is not.
_TOLD: Final = (0, 3)


class TextOfRecording:
    """Reads the text from the process. `close` may be called by any thread, and more than once."""

    def __init__(self, source: OpenRecording, *, times: bool) -> None:
        self._source = source
        self._arguments = ["times"] if times else []
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def pieces(self) -> Iterator[bytes]:
        """UTF-8. Raises OSError, StorageFailed; RecordingUnreadable when the process ended early."""
        with ExitStack() as opened:
            file: IO[bytes] = self._source.file
            if self._source.threads is not None:  # it lies on another machine, and the process reads a file
                file = opened.enter_context(tempfile.TemporaryFile())
                while piece := self._source.file.read(_PIECE_BYTES):
                    file.write(piece)
                file.seek(0)
            self._start(file)
        while piece := self._read():
            yield piece
        if self._ended() not in _TOLD:
            raise RecordingUnreadable("the process that reads the recording ended early")

    def _start(self, file: IO[bytes]) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-I", "-X", "utf8", "-m", _PROGRAM, *self._arguments],
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.sep,
                env={"PATH": os.defpath},
                start_new_session=True,
            )

    def _read(self) -> bytes:
        with self._reading:
            answer = self._process.stdout if self._process is not None else None
            return b"" if answer is None or answer.closed else os.read(answer.fileno(), _PIECE_BYTES)

    def _ended(self) -> int:
        with self._lock:
            return self._process.wait() if self._process is not None else 0

    def close(self) -> None:
        """Stop the process and close the recording."""
        with self._lock:
            self._is_closed = True
            if self._process is not None:
                self._process.kill()
                self._process.wait()
        with self._reading:  # a thread that still reads gets the end, because the process is gone
            if self._process is not None and self._process.stdout is not None:
                self._process.stdout.close()
        self._source.close()
