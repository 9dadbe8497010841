"""Records a program without a terminal: its command line, standard input, output and error.

Input is recorded completely (`whole_input`). For output and error, content and amount decide, never the name of the
command. A piece of a stream is *binary* if it contains a NUL byte or many other control characters, otherwise *text*.
Each stream has two budgets, one for text and one for binary pieces. A budget is full at the start, refills slowly while
little flows, and is emptied by a flood. So a build log or a dialogue is recorded completely, and of a disk image only
the first and last bytes. Bytes that are not recorded are counted and hashed *before* they are forwarded. The last bytes
of a stream are always recorded, also if text follows a flood.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, Protocol

from postern.contracts.recording.streams import (
    SAMPLE,
    SKIPPED,
    STREAM_END,
    Sample,
    Skipped,
    Stream,
    StreamEnd,
)
from postern.kernel.clock import monotonic_s

KIB: Final = 1024
#: Budget for text of a stream, and its refill per second.
TEXT_BYTES: Final = 16 * KIB * KIB
TEXT_BYTES_PER_S: Final = 256 * KIB
#: The same for binary pieces: enough to recognise the content.
BINARY_BYTES: Final = 64 * KIB
BINARY_BYTES_PER_S: Final = 4 * KIB
#: The last bytes of a stream, which are recorded even if they were part of a flood.
TAIL_BYTES: Final = 64 * KIB
#: An event must fit into one record of the journal.
PIECE_BYTES: Final = 48 * KIB
#: Of a piece that exceeds the budget, a part is recorded only if it has at least this size.
_MIN_PART_BYTES: Final = 4 * KIB

_LOOKED_AT: Final = 4 * KIB
_MAX_CONTROL_SHARE: Final = 0.1
#: Control characters unusual in text: all but tab, line feed, carriage return, backspace, bell, escape and form feed.
CONTROLS: Final = bytes(code for code in (*range(1, 0x20), 0x7F) if code not in b"\t\n\r\b\a\x1b\f")


class EventWriter(Protocol):
    """The part of a recorder's interface that is used here. Raises what the recorder raises."""

    def event(self, kind: int, data: bytes) -> None:
        """Write an event. Returns when it is in the journal."""


#: Called with each event that a live view may show.
OnEvent = Callable[[int, bytes], None]


def is_binary(data: bytes) -> bool:
    """Whether a piece is not text. Bytes above 0x7F may be text of any charset."""
    if 0 in data:
        return True
    head = data[:_LOOKED_AT]
    return len(head) - len(head.translate(None, CONTROLS)) > _MAX_CONTROL_SHARE * len(head)


def leading_text(data: bytes) -> int:
    """Return how many bytes at the start of a binary piece are whole lines of text that happened to be read together
    with it.
    """
    at = 0
    while (end := data.find(b"\n", at, at + _LOOKED_AT) + 1) > 0:
        line = data[at:end]
        if 0 in line or len(line.translate(None, CONTROLS)) < len(line):
            break
        at = end
    return at


class StreamAccount(NamedTuple):
    """All bytes of a stream so far. `sha256` is empty if the session is not recorded any more."""

    size: int
    sha256: str


class Budget:
    """The number of bytes that may be recorded now."""

    def __init__(self, capacity: int, per_s: int) -> None:
        self._capacity = capacity
        self._per_s = per_s
        self._level = float(capacity)
        self._at_s: float | None = None

    def take(self, wanted: int, now_s: float) -> int:
        """Return how many of `wanted` bytes may be recorded. A larger amount empties the budget, so a flood must end
        first.
        """
        if self._at_s is not None:
            self._level = min(self._capacity, self._level + (now_s - self._at_s) * self._per_s)
        self._at_s = now_s
        if wanted <= self._level:
            self._level -= wanted
            return wanted
        part = int(self._level)
        self._level = 0.0
        return part if part >= _MIN_PART_BYTES else 0


class StreamKeeper:
    """The recording of one stream of a program."""

    def __init__(self, stream: Stream, recorder: EventWriter, on_event: OnEvent) -> None:
        self.size = 0
        self.saw_binary = False
        self._stream = stream
        self._recorder = recorder
        self._on_event = on_event
        self._hash = hashlib.sha256()
        self._text = Budget(TEXT_BYTES, TEXT_BYTES_PER_S)
        self._binary = Budget(BINARY_BYTES, BINARY_BYTES_PER_S)
        self._not_kept = 0
        #: Skipped pieces within the last `TAIL_BYTES`, with their offsets.
        self._tail: deque[tuple[int, bytes]] = deque()
        self._is_skipping = False

    def take(self, data: bytes) -> None:
        """Record or count `data`, which may be forwarded when this returns. Raises what the recorder raises."""
        now_s = monotonic_s()
        for start in range(0, len(data), PIECE_BYTES):
            self.take_piece(data[start : start + PIECE_BYTES] if len(data) > PIECE_BYTES else data, now_s)

    def take_piece(self, piece: bytes, now_s: float) -> None:
        """Record or count at most `PIECE_BYTES`."""
        self.keep_within_budget(piece, now_s)

    def keep_within_budget(self, piece: bytes, now_s: float) -> None:
        """Record as much as the budget allows, and count the rest."""
        binary = is_binary(piece)
        # not during a flood, where text lines occur by chance
        if binary and not self._is_skipping and (text := leading_text(piece)):
            self.keep_within_budget(piece[:text], now_s)
            piece = piece[text:]
        self.saw_binary |= binary
        kept_bytes = (self._binary if binary else self._text).take(len(piece), now_s)
        if kept_bytes:
            part = piece if kept_bytes == len(piece) else piece[:kept_bytes]
            self.keep(part, binary=binary)
        if kept_bytes < len(piece):
            self._skip(piece[kept_bytes:] if kept_bytes else piece)

    def keep(self, part: bytes, *, binary: bool) -> None:
        """Record the next bytes of the stream."""
        self._hash.update(part)
        self._is_skipping = False
        if binary:
            self._event(SAMPLE, Sample(self._stream, False, self.size, part).encode())
        else:
            self._event(self._stream.kind, part)
        self.size += len(part)
        self._shorten_tail()

    def _skip(self, part: bytes) -> None:
        self._hash.update(part)
        self._recorder.event(SKIPPED, Skipped(self._stream, self.size, len(part), self._hash.digest()).encode())
        self._is_skipping = True
        self._tail.append((self.size, part))
        self.size += len(part)
        self._not_kept += len(part)
        self._shorten_tail()

    def _shorten_tail(self) -> None:
        """Release the pieces that end before the last `TAIL_BYTES` of the stream."""
        start = self.size - TAIL_BYTES
        while self._tail and self._tail[0][0] + len(self._tail[0][1]) <= start:
            self._tail.popleft()

    def account(self) -> StreamAccount:
        return StreamAccount(self.size, self._hash.hexdigest())

    def close(self, protocol: str) -> None:
        """End the stream: record what was skipped of its last bytes, and write the totals."""
        if not self.size:
            return
        for offset, data in self._skipped_at_the_end():
            self._not_kept -= len(data)
            for start in range(0, len(data), PIECE_BYTES):
                piece = data[start : start + PIECE_BYTES]
                self._event(SAMPLE, Sample(self._stream, not is_binary(piece), offset + start, piece).encode())
        self._tail.clear()
        end = StreamEnd(
            self._stream, self.size, self._not_kept, self.saw_binary, self._hash.hexdigest(), protocol
        ).encode()
        self._event(STREAM_END, end)

    def _skipped_at_the_end(self) -> Iterator[tuple[int, bytes]]:
        """Yield the skipped bytes within the last `TAIL_BYTES`, adjacent pieces joined, with their offsets."""
        start = self.size - TAIL_BYTES
        joined_at, joined = 0, bytearray()
        for at, piece in self._tail:
            offset = max(at, start)
            if joined and offset != joined_at + len(joined):
                yield joined_at, bytes(joined)
                joined.clear()
            if not joined:
                joined_at = offset
            joined += piece[offset - at :]
        if joined:
            yield joined_at, bytes(joined)

    def _event(self, kind: int, data: bytes) -> None:
        self._recorder.event(kind, data)
        self._on_event(kind, data)
