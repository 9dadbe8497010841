"""Opens a sealed recording with two reads, and seeks to any moment with one more."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, NamedTuple, Protocol, Self, runtime_checkable

from postern.contracts.recording.format import (
    BLOCK,
    HEADER_LENGTH,
    KEYFRAME,
    MAGIC,
    MAX_BLOCKS,
    MAX_INDEX_BYTES,
    MAX_JSON_BYTES,
    SIGNATURE_BYTES,
    TRAILER,
    BlockHeader,
    Event,
    RecordingHeader,
    RecordingUnreadable,
    Trailer,
    chain_next,
    chain_start,
    inflate,
    iterate_events,
    parse_object,
    unpack_block,
)

#: One read from the end contains trailer, manifest and index, except for extremely long recordings.
TAIL_BYTES: Final = 128 * 1024
#: One read from the start contains the header and usually the first block.
HEAD_BYTES: Final = 64 * 1024


@runtime_checkable
class ByteSource(Protocol):
    """Random access to the bytes: a file, or range requests."""

    @property
    def size(self) -> int: ...

    def read_at(self, offset: int, length: int) -> bytes:
        """`length` bytes from `offset`; fewer only at the end of the file."""
        ...


class FileSource:
    """A seekable binary file as a `ByteSource`."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = file.seek(0, 2)

    def read_at(self, offset: int, length: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(length)


class BlockPlace(NamedTuple):
    """Position and coverage of a block; `length` includes its header."""

    offset: int
    length: int
    first_ms: int
    output_offset: int
    flags: int


class TimelineMark(NamedTuple):
    ms: int
    name: str
    text: str


class Activity(NamedTuple):
    """Output bytes per interval of `unit_ms`."""

    unit_ms: int
    output_bytes: list[int]


@dataclass(frozen=True)
class Recording:
    """An opened recording. Opening it proves nothing about its integrity: see `verify`."""

    source: ByteSource
    header: RecordingHeader
    manifest: dict[str, Any]
    blocks: list[BlockPlace]
    activity: Activity
    marks: list[TimelineMark]

    @classmethod
    def open(cls, source: BinaryIO | ByteSource) -> Self:
        """Read head and tail. Raises `RecordingUnreadable`."""
        bytes_of = source if isinstance(source, ByteSource) else FileSource(source)
        size = bytes_of.size
        tail_offset = max(0, size - TAIL_BYTES)
        tail = bytes_of.read_at(tail_offset, size - tail_offset)
        trailer = Trailer.decode(tail[-TRAILER.size :])
        expected = (
            trailer.index_offset + trailer.index_length + trailer.manifest_length + SIGNATURE_BYTES + TRAILER.size
        )
        if expected != size:
            raise RecordingUnreadable("trailer: the parts do not fill the file")
        if trailer.index_offset >= tail_offset:
            index = tail[trailer.index_offset - tail_offset :][: trailer.index_length]
        else:
            index = bytes_of.read_at(trailer.index_offset, trailer.index_length)
        manifest_end = len(tail) - TRAILER.size - SIGNATURE_BYTES
        manifest = parse_object(tail[manifest_end - trailer.manifest_length : manifest_end], "manifest")
        head = bytes_of.read_at(0, HEAD_BYTES)
        header, first_block = decode_head(head, bytes_of)
        columns = parse_object(inflate(index, MAX_INDEX_BYTES), "index")
        return cls(
            source=bytes_of,
            header=header,
            manifest=manifest,
            blocks=_block_places(columns, first_block, trailer.index_offset),
            activity=_activity(columns),
            marks=_marks(columns),
        )

    @property
    def duration_ms(self) -> int:
        value = self.manifest.get("duration_ms")
        return value if isinstance(value, int) else 0

    def block_at(self, ms: int) -> int:
        """Number of the block from which to show the moment `ms`: the last block that starts no later."""
        return max(0, bisect_right(self.blocks, ms, key=lambda place: place.first_ms) - 1)

    def block_events(self, number: int) -> list[Event]:
        """All events of one block, with one read. Raises `RecordingUnreadable`."""
        place = self.blocks[number]
        data = self.source.read_at(place.offset, place.length)
        header = BlockHeader.decode(data[: BLOCK.size])
        if header.sequence != number:
            raise RecordingUnreadable("block: not the one that the index promises")
        return list(iterate_events(unpack_block(header, data[: BLOCK.size], data[BLOCK.size :]), header.first_ms))

    def chain_heads(self) -> Iterator[str]:
        """The chain's head after each block, for comparison with checkpoints in the audit log.

        Reads the whole file. Raises `RecordingUnreadable`.
        """
        start = self.blocks[0].offset if self.blocks else 0
        chain = chain_start(self.source.read_at(0, start))
        for place in self.blocks:
            data = self.source.read_at(place.offset, place.length)
            chain = chain_next(chain, data[: BLOCK.size], data[BLOCK.size :])
            yield chain.hex()

    def events(self, from_ms: int | None = None) -> Iterator[Event]:
        """All events, or those from the last suitable keyframe before `from_ms`. Only the first keyframe is included.

        Several blocks can start in the same millisecond, so `from_ms=0` is not the same as all events.
        """
        first = 0 if from_ms is None else self.block_at(from_ms)
        for number in range(first, len(self.blocks)):
            events = self.block_events(number)
            start = 0
            if number == first and from_ms is not None:
                for position, event in enumerate(events):
                    if event.kind == KEYFRAME and event.ms <= from_ms:
                        start = position
            for position in range(start, len(events)):
                if events[position].kind != KEYFRAME or (number == first and position == start):
                    yield events[position]


def decode_head(head: bytes, source: ByteSource) -> tuple[RecordingHeader, int]:
    """The header, and the offset of the first block. An unusually long header needs a second read."""
    if head[: len(MAGIC)] != MAGIC or len(head) < len(MAGIC) + HEADER_LENGTH.size:
        raise RecordingUnreadable("not a recording, or a newer version of the format")
    (length,) = HEADER_LENGTH.unpack_from(head, len(MAGIC))
    start = len(MAGIC) + HEADER_LENGTH.size
    if length > MAX_JSON_BYTES:
        raise RecordingUnreadable("header: longer than permitted")
    if start + length > len(head):
        head = source.read_at(0, start + length)
    if start + length > len(head):
        raise RecordingUnreadable("header: cut off")
    return RecordingHeader.decode(head[start : start + length]), start + length


def _numbers(columns: dict[str, Any], name: str) -> list[int]:
    values = columns.get(name)
    if not isinstance(values, list) or not all(type(value) is int and value >= 0 for value in values):
        raise RecordingUnreadable(f"index: {name} is not a list of counts")
    return values


def _block_places(columns: dict[str, Any], offset: int, end: int) -> list[BlockPlace]:
    lengths, first_ms, counts, flags = (
        _numbers(columns, name) for name in ("length", "first_ms", "output_bytes", "flags")
    )
    if not len(lengths) == len(first_ms) == len(counts) == len(flags) <= MAX_BLOCKS:
        raise RecordingUnreadable("index: columns of different length")
    places, output = [], 0
    for length, ms, count, flag in zip(lengths, first_ms, counts, flags, strict=True):
        places.append(BlockPlace(offset, length, ms, output, flag))
        offset += length
        output += count
    if offset != end:
        raise RecordingUnreadable("index: the blocks do not fill the file")
    return places


def _activity(columns: dict[str, Any]) -> Activity:
    activity = columns.get("activity")
    if not isinstance(activity, dict) or type(activity.get("unit_ms")) is not int or activity["unit_ms"] < 1:
        return Activity(1_000, [])
    return Activity(activity["unit_ms"], _numbers(activity, "bytes"))


def _marks(columns: dict[str, Any]) -> list[TimelineMark]:
    marks = columns.get("marks")
    if not isinstance(marks, list):
        return []
    return [TimelineMark(int(ms), str(name), str(text)) for ms, name, text in marks]
