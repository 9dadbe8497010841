"""`python -m postern.contracts.search.program FD [grams]`: reads a recording in a process of its own.

Standard input is the file of the recording. `FD` is an open file of other lines as JSON (the fields of `Line`), in the order
of time. Standard output gets one frame for each piece, and a last frame that says whether everything was read.
What hosts have sent is hostile, so the process has limits and the lowest priority.
"""

import contextlib
import json
import os
import resource
import struct
import sys
from array import array
from collections.abc import Iterator
from typing import IO, BinaryIO, Final, NamedTuple

from postern.contracts.recording.format import RecordingUnreadable
from postern.contracts.recording.reader import Recording
from postern.contracts.search.folding import gram_numbers
from postern.contracts.search.key_blocks import KeyBlocks
from postern.contracts.search.lines import Line, LineKind, read_lines
from postern.contracts.search.pieces import MOST_PIECES, Packer, Piece

#: First and last moment, kinds, and the lengths of the lines and of the numbers of grams.
_FRAME: Final = struct.Struct(">QQ4sII")
_END: Final = b"END!"
_MOST_BYTES: Final = 4 * 1024 * 1024
_MEMORY_BYTES: Final = 1024 * 1024 * 1024
_CPU_S: Final = 1_800
_NICENESS: Final = 19


class Packed(NamedTuple):
    """A piece with the numbers of its grams."""

    piece: Piece
    grams: list[int]


class Ended(NamedTuple):
    """The end of an answer. `started_ms`: when the recording began, since 1970."""

    is_whole: bool
    started_ms: int


class ReadingFailed(Exception):
    """The process ended before it had read the recording."""


def frames(answer: IO[bytes]) -> Iterator[Packed | Ended]:
    """What the process wrote: pieces, and at the end whether everything was read. Raises ReadingFailed."""
    count = 0
    while True:
        head = answer.read(_FRAME.size)
        if len(head) < _FRAME.size:
            raise ReadingFailed
        first_ms, last_ms, kinds, size, grams_size = _FRAME.unpack(head)
        if kinds == _END:
            yield Ended(bool(first_ms), last_ms)
            return
        count += 1
        # A process that a recording has taken over must not write keys of other recordings.
        if max(size, grams_size) > _MOST_BYTES or count > MOST_PIECES:
            raise ReadingFailed
        lines, numbers = answer.read(size), answer.read(grams_size)
        if len(lines) < size or len(numbers) < grams_size or grams_size % 4:
            raise ReadingFailed
        grams = array("i", numbers)
        yield Packed(Piece(first_ms, last_ms, kinds.rstrip(b"\0").decode("ascii", "replace"), lines), list(grams))


def write_frames(source: BinaryIO, others: list[Line], answer: IO[bytes], *, with_grams: bool) -> None:
    """Read a recording and write its pieces, with other lines among them. Raises RecordingUnreadable."""
    count = 0

    def give(piece: Piece, texts: list[str]) -> None:
        nonlocal count
        count += 1
        if count > MOST_PIECES:
            return
        numbers = array("i", gram_numbers(texts)).tobytes() if with_grams else b""
        head = _FRAME.pack(piece.first_ms, piece.last_ms, piece.kinds.encode(), len(piece.lines), len(numbers))
        answer.write(head + piece.lines + numbers)

    packer, blocks = Packer(give), KeyBlocks()
    waiting = list(reversed(others))

    def take(line: Line) -> None:
        while waiting and waiting[-1].ms <= line.ms:
            packer.take(waiting.pop())
        packer.take(blocks.marked(line))

    recording = Recording.open(source)
    is_whole = read_lines(recording, take)
    while waiting:
        packer.take(waiting.pop())
    packer.finish()
    started_ms = max(0, round(recording.header.started_at.timestamp() * 1_000))
    answer.write(_FRAME.pack(is_whole and count <= MOST_PIECES, started_ms, _END, 0, 0))
    answer.flush()


def _others(file: IO[bytes]) -> list[Line]:
    return [
        Line(int(ms), LineKind(kind), text, repeated, tuple((first, last) for first, last in hidden))
        for ms, kind, text, repeated, hidden in map(json.loads, file)
    ]


def _confine() -> None:
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    with contextlib.suppress(OSError):
        os.nice(_NICENESS)


def main() -> int:
    """Exit status: 0 when the last frame was written, 3 when the file is no recording that can be read."""
    _confine()
    with os.fdopen(int(sys.argv[1]), "rb") as file:
        others = _others(file)
    try:
        write_frames(sys.stdin.buffer, others, sys.stdout.buffer, with_grams="grams" in sys.argv[2:])
    except RecordingUnreadable:
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
