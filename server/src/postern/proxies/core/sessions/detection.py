"""Runs a session's command detector behind the traffic: after bytes are forwarded, and for a limited time per turn.

An echo is forwarded within a millisecond. So traffic is queued for some milliseconds and then read together in slices,
for all sessions of the process in turn. Between two turns the event loop serves traffic. A session whose bytes arrive
faster than they can be read is slowed down: `Detection.is_full`.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from typing import Final, NamedTuple, Protocol
from uuid import UUID

from msgspec import Struct

from postern.contracts.enums import CommandKind
from postern.kernel.clock import monotonic_s, thread_s
from postern.proxies.core.charset import Charset, DetectorInUtf8
from postern.proxies.core.commands.standing import StandingLine

log = logging.getLogger(__name__)

#: Minimum delay before bytes are read, so that the echo of a key is forwarded before the key is processed.
_WAIT_S: Final = 0.01
#: A larger chunk is not an echo. It is read at once, while it is still in the processor's cache.
_ECHO_BYTES: Final = 4 * 1024
#: Work per turn of the event loop, for all sessions.
_TURN_S: Final = 0.001
#: Bytes read between two looks at the clock. Keys can cost some microseconds each, output mostly a nanosecond per byte.
_SLICE_BYTES: Final = 4 * 1024
_KEYS_BYTES: Final = 256
#: Keys are passed on in pieces of this size, so a full queue is exceeded by at most one piece.
KEYS_AT_ONCE_BYTES: Final = 4 * 1024
#: Above this weight in the queue both sides of the session pause. This bounds memory and the work at the end.
_FULL_WEIGHT: Final = 64 * 1024
#: Weights in bytes of output: for a byte that the user sent, for a new size, and for any item.
_PERSON_WEIGHT: Final = 8
_SIZE_WEIGHT: Final = 1024
_ITEM_WEIGHT: Final = 64
#: Time that one session may take to read its queue before the line at the cursor is read.
_CATCH_UP_S: Final = 0.005
#: Processor time that one session may take at its end to read its queue.
_CLOSE_S: Final = 0.1


class DetectedCommand(Protocol):
    """One detected command. `offset_ms` is on the clock that the caller passes to the detector."""

    @property
    def kind(self) -> CommandKind: ...
    @property
    def input(self) -> str: ...
    @property
    def output(self) -> str: ...
    @property
    def offset_ms(self) -> int: ...


class Detector(Protocol):
    """Detects commands in a user's input and a target's output."""

    def user_input(self, data: bytes, now_ms: int) -> None: ...
    def target_output(self, data: bytes, now_ms: int) -> None: ...
    def resize(self, columns: int, rows: int) -> None: ...
    def standing_line(self) -> StandingLine | None: ...
    def close(self) -> None: ...


NewDetector = Callable[[int, int, Callable[[DetectedCommand], None]], Detector]


class Direction(Enum):
    """The side that bytes came from."""

    TARGET = auto()
    PERSON = auto()


class ReadsBehind(Protocol):
    """Processes bytes after they have been forwarded."""

    @property
    def is_full(self) -> bool:
        """Whether the queue is too long: both sides of the session must pause."""

    def read_until(self, until_s: float) -> bool:
        """Read until this time of the monotonic clock. Returns True if nothing is left."""


class Behind:
    """Gives the readers of all sessions turns at reading forwarded traffic. One instance per event loop."""

    def __init__(self) -> None:
        self._waiting: deque[ReadsBehind] = deque()
        self._turn: asyncio.Handle | None = None
        self._is_soon = False

    def add(self, reader: ReadsBehind, loop: asyncio.AbstractEventLoop, *, soon: bool) -> None:
        """Queue `reader`. With `soon` it reads in the next turn of the loop."""
        self._waiting.append(reader)
        if soon:
            self.hurry(loop)
        elif self._turn is None:
            self._turn = loop.call_later(_WAIT_S, self._take_turn, loop)

    def hurry(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read in the next turn of the loop."""
        if not self._is_soon:
            if self._turn is not None:
                self._turn.cancel()
            self._is_soon = True
            self._turn = loop.call_soon(self._take_turn, loop)

    def _take_turn(self, loop: asyncio.AbstractEventLoop) -> None:
        until_s = monotonic_s() + _TURN_S
        while self._waiting:
            reader = self._waiting.popleft()
            try:
                is_done = reader.read_until(until_s)
            except Exception:  # a failing session must not block reading of the others
                log.exception("reading the traffic of a session failed")
                is_done = True
            if not is_done:
                self._waiting.append(reader)
            if self._waiting and monotonic_s() > until_s:
                self._is_soon = True
                self._turn = loop.call_soon(self._take_turn, loop)
                return
        self._turn = None
        self._is_soon = False


class _Bytes(Struct, frozen=True, gc=False):
    direction: Direction
    data: bytes
    at_ms: int
    weight: int


class _Size(NamedTuple):
    columns: int
    rows: int

    @property
    def weight(self) -> int:
        return _SIZE_WEIGHT


class Detection:
    """The command detector of one terminal session, from its start to `close`."""

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
        on_caught_up: Callable[[], None] = lambda: None,
    ) -> None:
        """`size` is in cells. `on_failure` is called with the time from which commands may be missing: the detector
        failed and was replaced, or it could not read everything before the end. `on_caught_up` is called when `is_full`
        has ended.
        """
        self._session_id = session_id
        self._behind = behind
        self._new_detector = new_detector
        self._charset = charset
        self._size = size
        self._on_command = on_command
        self._on_failure = on_failure
        self._on_caught_up = on_caught_up
        self._waiting: deque[_Bytes | _Size] = deque()
        #: Bytes of the first item that have been read.
        self._read = 0
        self._weight = 0
        #: Whether the queue is too long: both sides of the session must pause until `on_caught_up`.
        self.is_full = False
        self._is_queued = False
        self._is_closed = False
        self._found: deque[DetectedCommand] = deque()
        self._loop = asyncio.get_running_loop()
        self._detector = self._start()

    def put(self, direction: Direction, data: bytes, at_ms: int) -> None:
        """Queue bytes that are forwarded in this turn of the loop. Empty data only reports that time has passed."""
        size = len(data)
        weight = _ITEM_WEIGHT + (_PERSON_WEIGHT * size if direction is Direction.PERSON else size)
        self._add(_Bytes(direction, data, at_ms, weight), soon=size > _ECHO_BYTES)

    def resize(self, columns: int, rows: int) -> None:
        """Queue a new terminal size."""
        if self._waiting and isinstance(self._waiting[-1], _Size):
            self._waiting[-1] = _Size(columns, rows)  # no output was shown in the previous size
        else:
            self._add(_Size(columns, rows), soon=False)

    def _add(self, item: _Bytes | _Size, *, soon: bool) -> None:
        if self._is_closed:
            return
        self._waiting.append(item)
        self._weight += item.weight
        if self._weight > _FULL_WEIGHT:
            self.is_full = soon = True
        if not self._is_queued:
            self._is_queued = True
            self._behind.add(self, self._loop, soon=soon)
        elif soon:
            self._behind.hurry(self._loop)

    def close(self) -> None:
        """Read the rest of the queue within a time limit at the end of the session."""
        if self._is_closed:
            return
        self._is_closed = True
        until_s = thread_s() + _CLOSE_S
        while self._waiting:
            self._next()
            if self._waiting and thread_s() > until_s:
                log.warning("session %s: its last commands could not be read in time", self._session_id)
                at_ms = next((item.at_ms for item in self._waiting if isinstance(item, _Bytes)), 0)
                self._waiting.clear()
                self._failed(at_ms)
        try:
            self._detector.close()
        except Exception:  # the end of the session must go through
            log.exception("session %s: command detection failed at the end", self._session_id)
        self._hand_over()

    def standing_line(self) -> StandingLine | None:
        """Read the queue and return the line at the cursor, before its Enter. None if it cannot be read now."""
        until_s = monotonic_s() + _CATCH_UP_S
        while self._waiting:
            self._next()
            if self._waiting and monotonic_s() > until_s:
                return None
        try:
            return self._detector.standing_line()
        except Exception:  # as in `_next`
            log.exception("session %s: the line at the cursor could not be read", self._session_id)
            return None

    def read_until(self, until_s: float) -> bool:
        """Read the queue until this time of the monotonic clock. Returns True if nothing is left."""
        while self._waiting:
            self._next()
            if monotonic_s() > until_s:
                break
        if self.is_full and self._weight <= _FULL_WEIGHT // 2:
            self.is_full = False
            # Call it in a turn of its own: both sides resume at once, and this turn is for reading.
            self._loop.call_soon(self._on_caught_up)
        self._is_queued = bool(self._waiting)
        return not self._is_queued

    def _next(self) -> None:
        """Let the detector read one slice, and report the detected commands."""
        item = self._waiting[0]
        at_ms = 0
        try:
            if isinstance(item, _Size):
                self._done(item)
                self._size = item
                self._detector.resize(item.columns, item.rows)
            else:
                at_ms = item.at_ms
                self._read_slice(item)
        except Exception:  # hostile output must neither end the session nor disable detection
            log.exception("session %s: command detection failed and was restarted", self._session_id)
            self._detector = self._start()
            self._failed(at_ms)
        self._hand_over()

    def _read_slice(self, item: _Bytes) -> None:
        size = _SLICE_BYTES if item.direction is Direction.TARGET else _KEYS_BYTES
        data = item.data
        if len(data) > size:
            start, self._read = self._read, self._read + size
            data = data[start : self._read]
        if self._read >= len(item.data) or len(item.data) <= size:
            self._done(item)
        if item.direction is Direction.TARGET:
            self._detector.target_output(data, item.at_ms)
        else:
            self._detector.user_input(data, item.at_ms)

    def _done(self, item: _Bytes | _Size) -> None:
        self._waiting.popleft()
        self._read = 0
        self._weight -= item.weight

    def _hand_over(self) -> None:
        """Report the detected commands.

        The detector is idle here, because a report may end the session and so close this object.
        """
        while self._found:
            command = self._found.popleft()
            try:
                self._on_command(command)
            except Exception:  # the following commands must still be reported
                log.exception("session %s: a command could not be reported", self._session_id)

    def _failed(self, at_ms: int) -> None:
        self._hand_over()
        try:
            self._on_failure(at_ms)
        except Exception:  # as in `_hand_over`
            log.exception("session %s: a gap in the commands could not be reported", self._session_id)

    def _start(self) -> Detector:
        detector = self._new_detector(*self._size, self._found.append)
        return detector if Charset(self._charset).is_utf8 else DetectorInUtf8(detector, self._charset)
