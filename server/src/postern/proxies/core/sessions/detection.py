"""Feeds a session's command detector behind the traffic: never before bytes are forwarded, and a bounded time at once.

An echo is on its way within a millisecond. So what passes is put aside for some milliseconds and read together, a slice
at a time, for all sessions of the process in turn; traffic gets the event loop between two turns. A session whose bytes
cost more to read than there is time for is slowed down: `Detection.is_full`.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from typing import Final, NamedTuple, Protocol
from uuid import UUID

from postern.contracts.enums import CommandKind
from postern.kernel.clock import monotonic_s, thread_s
from postern.proxies.core.charset import Charset, DetectorInUtf8

log = logging.getLogger(__name__)

#: How long bytes wait at least, so that an echo to a key leaves before the key is looked at.
_WAIT_S: Final = 0.01
#: More than this at once is no echo: it is read while the processor still has it at hand.
_ECHO_BYTES: Final = 4 * 1024
#: Work in one turn of the event loop, for all sessions.
_TURN_S: Final = 0.001
#: What is read between two looks at the clock. Keys can cost some microseconds each, output mostly a nanosecond a byte.
_SLICE_BYTES: Final = 4 * 1024
_KEYS_BYTES: Final = 256
#: Keys are passed on in pieces of this size, so that no more than one of them comes on top of what is full.
KEYS_AT_ONCE_BYTES: Final = 4 * 1024
#: With more than this waiting, both sides of the session wait: neither memory nor the work at the end grows.
_FULL_WEIGHT: Final = 64 * 1024
#: What counts as so many bytes of output: a byte that the person sent, a new size, anything at all.
_PERSON_WEIGHT: Final = 8
_SIZE_WEIGHT: Final = 1024
_ITEM_WEIGHT: Final = 64
#: Time of the processor that one session may take at its end, for what still waits.
_CLOSE_S: Final = 0.1


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


class ReadsBehind(Protocol):
    """Reads what has been forwarded already."""

    @property
    def is_full(self) -> bool:
        """More waits than should: both sides of the session are to wait."""

    def read_until(self, until_s: float) -> bool:
        """Read until then (monotonic). True: nothing waits any more."""


class Behind:
    """Takes turns at what has to be read behind the traffic of all sessions. One for each event loop."""

    def __init__(self) -> None:
        self._waiting: deque[ReadsBehind] = deque()
        self._turn: asyncio.Handle | None = None
        self._is_soon = False

    def add(self, reader: ReadsBehind, loop: asyncio.AbstractEventLoop, *, soon: bool) -> None:
        """`reader` has something to read; `soon`: in the next turn of the loop."""
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
            except Exception:  # one session must not keep the others from being read
                log.exception("what a session carried could not be read")
                is_done = True
            if not is_done:
                self._waiting.append(reader)
            if self._waiting and monotonic_s() > until_s:
                self._is_soon = True
                self._turn = loop.call_soon(self._take_turn, loop)
                return
        self._turn = None
        self._is_soon = False


class _Bytes(NamedTuple):
    direction: Direction
    data: bytes
    at_ms: int

    @property
    def weight(self) -> int:
        each = _PERSON_WEIGHT if self.direction is Direction.PERSON else 1
        return _ITEM_WEIGHT + each * len(self.data)


class _Size(NamedTuple):
    columns: int
    rows: int

    @property
    def weight(self) -> int:
        return _SIZE_WEIGHT


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
        on_caught_up: Callable[[], None] = lambda: None,
    ) -> None:
        """`size` in cells. `on_failure` is called with a time from which on commands may be missing: the detector
        stumbled and a new one takes over, or could not read all before the end. `on_caught_up`: `is_full` has ended.
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
        #: How much of the first item has been read.
        self._read = 0
        self._weight = 0
        #: More waits than should: both sides of the session are to wait until `on_caught_up`.
        self.is_full = False
        self._is_queued = False
        self._is_closed = False
        self._found: deque[DetectedCommand] = deque()
        self._loop = asyncio.get_running_loop()
        self._detector = self._start()

    def put(self, direction: Direction, data: bytes, at_ms: int) -> None:
        """Bytes that are forwarded in this turn of the loop. Empty ones only tell that time has passed."""
        self._add(_Bytes(direction, data, at_ms), soon=len(data) > _ECHO_BYTES)

    def resize(self, columns: int, rows: int) -> None:
        """The terminal has a new size from here on."""
        if self._waiting and isinstance(self._waiting[-1], _Size):
            self._waiting[-1] = _Size(columns, rows)  # nothing was shown in the size between
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
        """The session is over. What waits is read, if the time for it is short."""
        if self._is_closed:
            return
        self._is_closed = True
        until_s = thread_s() + _CLOSE_S
        while self._waiting:
            self._next()
            if self._waiting and thread_s() > until_s:
                log.warning("session %s: its last commands were too much to be read", self._session_id)
                at_ms = next((item.at_ms for item in self._waiting if isinstance(item, _Bytes)), 0)
                self._waiting.clear()
                self._failed(at_ms)
        try:
            self._detector.close()
        except Exception:  # the end of the session must go through
            log.exception("session %s: command detection failed at the end", self._session_id)
        self._hand_over()

    def read_until(self, until_s: float) -> bool:
        """Read what waits, until this time on the monotonic clock. True: nothing is left."""
        while self._waiting:
            self._next()
            if monotonic_s() > until_s:
                break
        if self.is_full and self._weight <= _FULL_WEIGHT // 2:
            self.is_full = False
            # In a turn of its own: what waited on both sides comes at once, and this turn is for reading.
            self._loop.call_soon(self._on_caught_up)
        self._is_queued = bool(self._waiting)
        return not self._is_queued

    def _next(self) -> None:
        """Let the detector read one slice, and hand over what it found."""
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
        except Exception:  # hostile output must neither end the session nor switch the detection off
            log.exception("session %s: command detection failed, starting it again", self._session_id)
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
        """Tell of what was found. The detector is at rest here: telling may end the session, and so close this."""
        while self._found:
            command = self._found.popleft()
            try:
                self._on_command(command)
            except Exception:  # the next ones are to be told all the same
                log.exception("session %s: a command could not be told", self._session_id)

    def _failed(self, at_ms: int) -> None:
        self._hand_over()
        try:
            self._on_failure(at_ms)
        except Exception:  # as in `_hand_over`
            log.exception("session %s: a gap in the commands could not be told", self._session_id)

    def _start(self) -> Detector:
        detector = self._new_detector(*self._size, self._found.append)
        return detector if Charset(self._charset).is_utf8 else DetectorInUtf8(detector, self._charset)
