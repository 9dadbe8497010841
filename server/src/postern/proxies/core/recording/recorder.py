"""`Recorder`: the recording of one session in the journal."""

from collections.abc import Callable
from typing import Final, Protocol
from uuid import UUID

from postern.contracts.enums import EndReason
from postern.contracts.recording.format import END, INPUT, MARK, MAX_CELLS, OUTPUT, RESIZE, SIZE, json_bytes
from postern.kernel.clock import monotonic_ms
from postern.proxies.core.recording.errors import RecordingFailed
from postern.proxies.core.recording.journal_format import MAX_DATA_BYTES

_MAX_TEXT: Final = 4_096

OnFailure = Callable[[RecordingFailed], None]


class RecordedIn(Protocol):
    """The journal of a recorder."""

    def write(self, number: int, kind: int, data: bytes) -> None:
        """Append one event. Raises `RecordingFailed`."""

    def forget(self, number: int) -> None:
        """Remove a session that has ended."""


class Recorder:
    """The recording of one session. Created by `Journal.open_session`; used only in the event loop's thread.

    Each call returns after the data is in the journal, and raises `RecordingFailed` if it could not be written.
    """

    def __init__(self, journal: RecordedIn, number: int, session_id: UUID, person: UUID | None) -> None:
        self.session_id = session_id
        self.person = person or session_id
        self.output_bytes = 0
        #: Bytes written recently. Halved at each check of the disk space (`journal_room`).
        self.recent_bytes = 0
        self._journal = journal
        self._number = number
        self._begin_ms = monotonic_ms()
        self._failure: RecordingFailed | None = None
        self._on_failure: list[OnFailure] = []
        self._ended = False

    @property
    def failed(self) -> bool:
        """True once the recording cannot be trusted any more. A failed commit is noticed only after the write."""
        return self._failure is not None

    def elapsed_ms(self) -> int:
        """Return the time since the start of the recording."""
        return monotonic_ms() - self._begin_ms

    def output(self, data: bytes) -> None:
        """Record output of the target. To be called before the bytes are forwarded."""
        self._write(OUTPUT, data)
        self.output_bytes += len(data)

    def input(self, data: bytes) -> None:
        """Record input of the user, if the policy requires it."""
        self._write(INPUT, data)

    def resize(self, columns: int, rows: int) -> None:
        self._write(RESIZE, SIZE.pack(*clamp_size(columns, rows)))

    def event(self, kind: int, data: bytes) -> None:
        """Record an event of a program without a terminal (`contracts.recording.streams`), of at most 64 KiB."""
        if len(data) > MAX_DATA_BYTES:
            raise ValueError("an event must fit into one record")
        self._write(kind, data)
        if kind == OUTPUT:
            self.output_bytes += len(data)

    def mark(self, name: str, text: str = "") -> None:
        """Record a named moment for the player's time line."""
        self._write(MARK, json_bytes({"name": name[:_MAX_TEXT], "text": text[:_MAX_TEXT]}))

    def end(self, reason: EndReason | str) -> None:
        """Record the end of the session. Idempotent."""
        if not self._ended:
            self._write(END, str(reason).encode("utf-8", "replace")[:_MAX_TEXT])
            self._ended = True
            self._journal.forget(self._number)

    def on_failure(self, callback: OnFailure) -> None:
        """Register a callback for a later failure of the recording. It runs on the event loop."""
        self._on_failure.append(callback)

    def _write(self, kind: int, data: bytes) -> None:
        if self._failure is not None and not (self._failure.reserve and kind == END):
            raise self._failure
        if self._ended:
            raise RecordingFailed("the recording of this session has ended")
        if data or kind == END:
            self._journal.write(self._number, kind, data)

    def fail(self, failure: RecordingFailed) -> list[OnFailure]:
        """Fail the recording, and return the callbacks to run. Every further call raises. Called by the journal.

        A recording that was ended for lack of space is complete up to this point and can record its `end`.
        """
        self._failure = failure
        callbacks, self._on_failure = self._on_failure, []
        return callbacks


def clamp_size(columns: int, rows: int) -> tuple[int, int]:
    """Clamp to a size that every reader accepts. 0 (no terminal) becomes 80x24."""
    return min(columns or 80, MAX_CELLS) if columns >= 0 else 80, min(rows or 24, MAX_CELLS) if rows >= 0 else 24
