"""Feeds a session's command detector behind the traffic: never before bytes are forwarded, and a bounded time at once.

An echo is on its way within a millisecond. So what passes is put aside for some milliseconds and read together, a slice
at a time, for all sessions of the process in turn; traffic gets the event loop between two turns.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from typing import Final, Protocol
from uuid import UUID

from postern.contracts.enums import CommandKind
from postern.kernel.clock import monotonic_s
from postern.proxies.core.charset import Charset, DetectorInUtf8

log = logging.getLogger(__name__)

#: How long bytes wait at least, so that an echo to a key leaves before the key is looked at.
_WAIT_S: Final = 0.01
#: More than this at once is no echo: it is read while the processor still has it at hand.
_ECHO_BYTES: Final = 4 * 1024
#: Work in one turn of the event loop, for all sessions.
_TURN_S: Final = 0.001
_SLICE_BYTES: Final = 16 * 1024
#: With more than this waiting, everything is read at once: the memory is bounded, and the peer waits.
_MAX_WAITING_BYTES: Final = 1024 * 1024


class DetectedCommand(Protocol):
    """One command as the detector found it; `offset_ms` is in the clock that it was fed with."""

    @property
    def kind(self) -> CommandKind: ...
    @property
    def input(self) -> str: ...
    @property
    def output(self) -> str: ...
    @property
    def offset_ms(self) -> int: ...


class Detector(Protocol):
    """Finds commands in what a person typed and the target showed."""

    def user_input(self, data: bytes, now_ms: int) -> None: ...
    def target_output(self, data: bytes, now_ms: int) -> None: ...
    def resize(self, columns: int, rows: int) -> None: ...
    def close(self) -> None: ...


NewDetector = Callable[[int, int, Callable[[DetectedCommand], None]], Detector]


class Direction(Enum):
    """Where bytes came from."""

    TARGET = auto()
    PERSON = auto()


class Behind:
    """Takes turns at what the detectors of all sessions have to read. One for each event loop."""

    def __init__(self) -> None:
        self._waiting: deque[Detection] = deque()
        self._turn: asyncio.Handle | None = None
        self._is_soon = False

    def add(self, detection: "Detection", loop: asyncio.AbstractEventLoop, *, soon: bool) -> None:
        """`detection` has something to read; `soon`: in the next turn of the loop."""
        self._waiting.append(detection)
        if soon and not self._is_soon:
            if self._turn is not None:
                self._turn.cancel()
            self._is_soon = True
            self._turn = loop.call_soon(self._take_turn, loop)
        elif self._turn is None:
            self._turn = loop.call_later(_WAIT_S, self._take_turn, loop)

    def _take_turn(self, loop: asyncio.AbstractEventLoop) -> None:
        until_s = monotonic_s() + _TURN_S
        while self._waiting:
            detection = self._waiting.popleft()
            try:
                is_done = detection.read_until(until_s)
            except Exception:  # one session must not keep the others from being read
                log.exception("commands of a session could not be told")
                is_done = True
            if not is_done:
                self._waiting.append(detection)
                self._is_soon = True
                self._turn = loop.call_soon(self._take_turn, loop)
                return
        self._turn = None
        self._is_soon = False


class Detection:
    """The detector of one session with a terminal, from its start to `close`."""

    def __init__(
        self,
        session_id: UUID,
        behind: Behind,
        new_detector: NewDetector,
        charset: str,
        size: tuple[int, int],
        *,
        on_command: Callable[[DetectedCommand], None],
        on_failure: Callable[[int], None],
    ) -> None:
        """`size` in cells. `on_failure` is called with the time when the detector stumbled and a new one takes over."""
        self._session_id = session_id
        self._behind = behind
        self._new_detector = new_detector
        self._charset = charset
        self._size = size
        self._on_command = on_command
        self._on_failure = on_failure
        self._waiting: deque[tuple[Direction, bytes, int]] = deque()
        self._waiting_bytes = 0
        self._is_queued = False
        self._loop = asyncio.get_running_loop()
        self._detector = self._start()

    def put(self, direction: Direction, data: bytes, at_ms: int) -> None:
        """Bytes that are forwarded in this turn of the loop. Empty ones only tell that time has passed."""
        if len(data) <= _SLICE_BYTES:
            self._waiting.append((direction, data, at_ms))
        else:
            slices = range(0, len(data), _SLICE_BYTES)
            self._waiting.extend((direction, data[start : start + _SLICE_BYTES], at_ms) for start in slices)
        self._waiting_bytes += len(data)
        if self._waiting_bytes > _MAX_WAITING_BYTES:
            self.catch_up()
        elif not self._is_queued:
            self._is_queued = True
            self._behind.add(self, self._loop, soon=len(data) > _ECHO_BYTES)

    def catch_up(self) -> None:
        """Read everything that waits, now."""
        while self._waiting:
            self._next()

    def resize(self, columns: int, rows: int) -> None:
        """The terminal has a new size from here on."""
        self.catch_up()
        self._size = columns, rows
        self._detector.resize(columns, rows)

    def close(self) -> None:
        """The session is over."""
        self.catch_up()
        try:
            self._detector.close()
        except Exception:  # the end of the session must go through
            log.exception("session %s: command detection failed at the end", self._session_id)

    def read_until(self, until_s: float) -> bool:
        """Read what waits, until this time on the monotonic clock. True: nothing is left."""
        while self._waiting:
            self._next()
            if monotonic_s() > until_s:
                break
        self._is_queued = bool(self._waiting)
        return not self._is_queued

    def _next(self) -> None:
        """Let the detector read one slice."""
        direction, data, at_ms = self._waiting.popleft()
        self._waiting_bytes -= len(data)
        try:
            if direction is Direction.TARGET:
                self._detector.target_output(data, at_ms)
            else:
                self._detector.user_input(data, at_ms)
        except Exception:  # hostile output must neither end the session nor switch the detection off
            log.exception("session %s: command detection failed, starting it again", self._session_id)
            self._on_failure(at_ms)
            self._detector = self._start()

    def _start(self) -> Detector:
        detector = self._new_detector(*self._size, self._on_command)
        return detector if Charset(self._charset).is_utf8 else DetectorInUtf8(detector, self._charset)
