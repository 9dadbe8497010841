"""Records a program without a terminal: its command line, standard input, output and error.

Input is kept whole (`whole_input`). For output and error, content and amount decide, never the name of the command. A
piece of a stream is *binary* when it holds a NUL byte or many other control characters, otherwise *text*. Each stream
has two budgets, one for text and one for binary pieces. A budget is filled at the start, refills slowly while little
flows, and is emptied by a flood. So a build log or a dialogue is kept whole, and of a disk image the first and the last
bytes are. Bytes that are not kept are counted and hashed *before* they are forwarded.
"""

import hashlib
from collections import deque
from collections.abc import Callable
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
#: What a stream may hold of text at once, and what it regains each second.
TEXT_BYTES: Final = 16 * KIB * KIB
TEXT_BYTES_PER_S: Final = 256 * KIB
#: The same for binary pieces: enough to see what it is.
BINARY_BYTES: Final = 64 * KIB
BINARY_BYTES_PER_S: Final = 4 * KIB
#: The end of a stream that is not kept to its end.
TAIL_BYTES: Final = 64 * KIB
#: An event must fit into one record of the journal.
PIECE_BYTES: Final = 48 * KIB
#: A piece that does not fit is kept in part only if the part is worth a record.
_MIN_PART_BYTES: Final = 4 * KIB

_LOOKED_AT: Final = 4 * KIB
_MAX_CONTROL_SHARE: Final = 0.1
#: Control characters that text has no use for: not tab, line feed, carriage return, backspace, bell, escape, form feed.
CONTROLS: Final = bytes(code for code in (*range(1, 0x20), 0x7F) if code not in b"\t\n\r\b\a\x1b\f")


class EventWriter(Protocol):
    """The part of a recorder that is needed here. Raises what the recorder raises."""

    def event(self, kind: int, data: bytes) -> None:
        """Returns when the event is in the journal."""


#: Told of each event that a live view may show.
OnEvent = Callable[[int, bytes], None]


def is_binary(data: bytes) -> bool:
    """Whether a piece is no text. Bytes above 0x7F may be text of any charset."""
    if 0 in data:
        return True
    head = data[:_LOOKED_AT]
    return len(head) - len(head.translate(None, CONTROLS)) > _MAX_CONTROL_SHARE * len(head)


def leading_text(data: bytes) -> int:
    """How many bytes at the beginning of a binary piece are whole lines of text: they came together by chance."""
    at = 0
    while (end := data.find(b"\n", at, at + _LOOKED_AT) + 1) > 0:
        line = data[at:end]
        if 0 in line or len(line.translate(None, CONTROLS)) < len(line):
            break
        at = end
    return at


class StreamAccount(NamedTuple):
    """All bytes of a stream so far. `sha256` is empty when the session is not recorded any more."""

    size: int
    sha256: str


class Budget:
    """How many bytes may be kept now."""

    def __init__(self, capacity: int, per_s: int) -> None:
        self._capacity = capacity
        self._per_s = per_s
        self._level = float(capacity)
        self._at_s: float | None = None

    def take(self, wanted: int, now_s: float) -> int:
        """How many of `wanted` bytes may be kept. What does not fit empties the budget: a flood must end first."""
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
    """One stream of one program."""

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
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0

    def take(self, data: bytes) -> None:
        """Record or account for `data`, which may be forwarded when this returns. Raises what the recorder raises."""
        now_s = monotonic_s()
        for start in range(0, len(data), PIECE_BYTES):
            self.take_piece(data[start : start + PIECE_BYTES] if len(data) > PIECE_BYTES else data, now_s)

    def take_piece(self, piece: bytes, now_s: float) -> None:
        """Record or account for at most `PIECE_BYTES`."""
        self.keep_within_budget(piece, now_s)

    def keep_within_budget(self, piece: bytes, now_s: float) -> None:
        """Record as much as the budget allows, and account for the rest."""
        binary = is_binary(piece)
        if binary and not self._tail and (text := leading_text(piece)):  # not in a flood, where it is chance
            self.keep_within_budget(piece[:text], now_s)
            piece = piece[text:]
        self.saw_binary |= binary
        kept = (self._binary if binary else self._text).take(len(piece), now_s)
        if kept:
            part = piece if kept == len(piece) else piece[:kept]
            self.keep(part, binary=binary)
        if kept < len(piece):
            self._skip(piece[kept:] if kept else piece)

    def keep(self, part: bytes, *, binary: bool) -> None:
        """The next bytes of the stream go into the recording."""
        self._hash.update(part)
        self._tail.clear()
        self._tail_bytes = 0
        if binary:
            self._event(SAMPLE, Sample(self._stream, False, self.size, part).encode())
        else:
            self._event(self._stream.kind, part)
        self.size += len(part)

    def _skip(self, part: bytes) -> None:
        self._hash.update(part)
        self._recorder.event(SKIPPED, Skipped(self._stream, self.size, len(part), self._hash.digest()).encode())
        self.size += len(part)
        self._not_kept += len(part)
        self._tail.append(part)
        self._tail_bytes += len(part)
        while self._tail_bytes - len(self._tail[0]) >= TAIL_BYTES:
            self._tail_bytes -= len(self._tail.popleft())

    def account(self) -> StreamAccount:
        return StreamAccount(self.size, self._hash.hexdigest())

    def close(self, protocol: str) -> None:
        """The stream is over: keep the end of what was skipped last, and write the account."""
        if not self.size:
            return
        tail = b"".join(self._tail)[-TAIL_BYTES:]
        self._tail.clear()
        self._not_kept -= len(tail)
        for start in range(0, len(tail), PIECE_BYTES):
            piece = tail[start : start + PIECE_BYTES]
            offset = self.size - len(tail) + start
            self._event(SAMPLE, Sample(self._stream, not is_binary(piece), offset, piece).encode())
        end = StreamEnd(
            self._stream, self.size, self._not_kept, self.saw_binary, self._hash.hexdigest(), protocol
        ).encode()
        self._event(STREAM_END, end)

    def _event(self, kind: int, data: bytes) -> None:
        self._recorder.event(kind, data)
        self._on_event(kind, data)
