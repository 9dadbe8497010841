"""Byte layout of a sealed recording: constants, limits, and packing and unpacking of its parts.

docs/reference/recording-format.md describes the format. The input may be malicious, so each length is checked against a
limit before anything is allocated or inflated.
"""

import hashlib
import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple, Self
from uuid import UUID

from postern.kernel.errors import PosternError

MAGIC: Final = b"POSTERN\x01"
END_MARK: Final = b"PSTNEND\x01"
BLOCK_MARK: Final = b"BLK1"
SIGNATURE_CONTEXT: Final = b"postern recording manifest v1\x00"
VERSION: Final = 1

CODEC_STORED: Final = 0
CODEC_DEFLATE: Final = 1
FLAG_UNCERTAIN: Final = 1

KEYFRAME: Final = ord("k")
OUTPUT: Final = ord("o")
INPUT: Final = ord("i")
RESIZE: Final = ord("r")
MARK: Final = ord("m")
END: Final = ord("e")

MAX_JSON_BYTES: Final = 65_536
MAX_BLOCK_BYTES: Final = 8 * 1024 * 1024
MAX_INDEX_BYTES: Final = 32 * 1024 * 1024
MAX_BLOCKS: Final = 1 << 22
MAX_CELLS: Final = 1_000  # columns, and rows
MAX_MARKS: Final = 10_000
MAX_ACTIVITY_UNITS: Final = 1_024
SIGNATURE_BYTES: Final = 64
_MAX_HEADER_TEXT: Final = 512  # nine texts of at most six bytes per character (\u0000) stay far below MAX_JSON_BYTES

HEADER_LENGTH: Final = struct.Struct(">I")
BLOCK: Final = struct.Struct(">4sIBBHIIQQQI")
TRAILER: Final = struct.Struct(">QIII8s")
SIZE: Final = struct.Struct(">HH")
KEYFRAME_PREFIX: Final = struct.Struct(">HHB")

_MAX_VARINT: Final = 1 << 53
_MAX_VARINT_SHIFT: Final = 56


class Content(StrEnum):
    """The content of a recording, which determines its player. The values are stored in headers."""

    TERMINAL = "terminal"
    PROGRAM = "program"  # input, output and error without a terminal
    QUERIES = "queries"  # statements and their results
    DESKTOP = "desktop"
    OTHER = "other"  # from a newer version


class RecordingUnreadable(PosternError):
    """The bytes are not a recording that this version can read, or they are damaged."""

    code = "recording_unreadable"
    status = 422


@dataclass(frozen=True, kw_only=True)
class RecordingHeader:
    """Metadata of a recording. Sizes are in character cells; `charset` is the encoding of the output.

    `streams` is the version of the events of a session without a terminal (see `streams`); 0 with a terminal. The file
    contains `content` only where `streams` does not imply it. `events` is the version of the kinds of events that the
    recording may contain.
    """

    session_id: UUID
    started_at: datetime
    columns: int
    rows: int
    user: str = ""
    asset: str = ""
    system_user: str = ""
    login_name: str = ""
    protocol: str = "ssh"
    remote_addr: str = ""
    org_id: str = ""
    charset: str = "utf-8"
    record_input: bool = False
    streams: int = 0
    content: Content = Content.TERMINAL
    events: int = 1

    def encode(self) -> bytes:
        """The JSON for the file. Texts are truncated to keep it within its limit."""
        fields: dict[str, Any] = {"version": VERSION}
        for name, value in self.__dict__.items():
            if not self._goes_without_saying(name):
                fields[name] = value[:_MAX_HEADER_TEXT] if isinstance(value, str) else value
        fields["session_id"] = str(self.session_id)
        fields["started_at"] = self.started_at.isoformat(timespec="milliseconds")
        return json_bytes(fields)

    def _goes_without_saying(self, name: str) -> bool:
        """Omit default values, so that recordings from before these fields existed are encoded unchanged."""
        return (
            (name == "streams" and not self.streams)
            or (name == "content" and self.content in {Content.TERMINAL, Content.PROGRAM})
            or (name == "events" and self.events == 1)
        )

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Raises `RecordingUnreadable`."""
        fields = parse_object(data, "header")
        try:
            started_at = datetime.fromisoformat(_text(fields, "started_at"))
            session_id = UUID(_text(fields, "session_id"))
        except ValueError as error:
            raise RecordingUnreadable(f"header: {error}") from error
        if started_at.tzinfo is None:
            raise RecordingUnreadable("header: the start has no time zone")
        if fields.get("version") != VERSION:
            raise RecordingUnreadable("header: unknown version")
        if fields.get("streams", 0) not in {0, 1} or isinstance(fields.get("streams"), bool):
            raise RecordingUnreadable("header: streams of an unknown version")
        columns, rows = fields.get("columns", 0), fields.get("rows", 0)
        if not is_size(columns, rows):
            raise RecordingUnreadable("header: impossible size of the terminal")
        texts = ("user", "asset", "system_user", "login_name", "protocol", "remote_addr", "org_id", "charset")
        return cls(
            session_id=session_id,
            started_at=started_at,
            columns=int(columns),
            rows=int(rows),
            record_input=fields.get("record_input") is True,
            streams=int(fields.get("streams", 0)),
            content=_content(fields),
            events=_events_version(fields),
            **{name: _text(fields, name) for name in texts if name in fields},
        )


class BlockHeader(NamedTuple):
    """The fixed part of each block. Times are in ms since the start, lengths in bytes."""

    sequence: int
    codec: int
    flags: int
    packed_length: int
    raw_length: int
    first_ms: int
    output_offset: int
    bookkeeping: int
    crc: int

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Raises `RecordingUnreadable` when `data` cannot be a block header within the limits."""
        if len(data) != BLOCK.size:
            raise RecordingUnreadable("block: cut off")
        mark, sequence, codec, flags, zero, packed, raw, first_ms, offset, bookkeeping, crc = BLOCK.unpack(data)
        if mark != BLOCK_MARK or zero != 0 or codec not in {CODEC_STORED, CODEC_DEFLATE}:
            raise RecordingUnreadable("block: not a block header")
        if packed > MAX_BLOCK_BYTES or raw > MAX_BLOCK_BYTES:
            raise RecordingUnreadable("block: longer than permitted")
        return cls(sequence, codec, flags, packed, raw, first_ms, offset, bookkeeping, crc)

    @property
    def length(self) -> int:
        """Length of header and content together."""
        return BLOCK.size + self.packed_length


class Event(NamedTuple):
    """An event, `ms` after the start. The format description defines `data` for each kind."""

    ms: int
    kind: int
    data: bytes

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows of a keyframe or a resize. Raises `RecordingUnreadable`."""
        if len(self.data) < SIZE.size:
            raise RecordingUnreadable("event: no size")
        columns, rows = SIZE.unpack_from(self.data)
        if not is_size(columns, rows):
            raise RecordingUnreadable("event: impossible size of the terminal")
        return columns, rows

    @property
    def repaint(self) -> bytes:
        """The bytes that redraw the screen of a keyframe on a reset terminal."""
        return self.data[KEYFRAME_PREFIX.size :]


class Trailer(NamedTuple):
    index_offset: int
    index_length: int
    manifest_length: int

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Raises `RecordingUnreadable`."""
        if len(data) != TRAILER.size:
            raise RecordingUnreadable("trailer: cut off")
        index_offset, index_length, manifest_length, signature_length, mark = TRAILER.unpack(data)
        if mark != END_MARK:
            raise RecordingUnreadable("trailer: the end mark is missing; the file is cut off or not sealed")
        if signature_length != SIGNATURE_BYTES or manifest_length > MAX_JSON_BYTES or index_length > MAX_INDEX_BYTES:
            raise RecordingUnreadable("trailer: impossible lengths")
        return cls(index_offset, index_length, manifest_length)

    def encode(self) -> bytes:
        return TRAILER.pack(*self, SIGNATURE_BYTES, END_MARK)


def encode_block(
    *, sequence: int, flags: int, first_ms: int, output_offset: int, bookkeeping: int, raw: bytes, level: int = 6
) -> tuple[bytes, bytes]:
    """Header and packed content of a block. `level` is the compression level, 1 to 9."""
    packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(raw) + packer.flush()
    codec = CODEC_DEFLATE
    if len(packed) >= len(raw):
        packed, codec = raw, CODEC_STORED
    fields = (BLOCK_MARK, sequence, codec, flags, 0, len(packed), len(raw), first_ms, output_offset, bookkeeping)
    crc = zlib.crc32(packed, zlib.crc32(BLOCK.pack(*fields, 0)[:-4]))
    return BLOCK.pack(*fields, crc), packed


def unpack_block(header: BlockHeader, header_bytes: bytes, packed: bytes) -> bytes:
    """The events of a block. Raises `RecordingUnreadable`."""
    if len(packed) != header.packed_length:
        raise RecordingUnreadable("block: cut off")
    if zlib.crc32(packed, zlib.crc32(header_bytes[:-4])) != header.crc:
        raise RecordingUnreadable("block: damaged")
    if header.codec == CODEC_STORED:
        if header.raw_length != len(packed):
            raise RecordingUnreadable("block: wrong length")
        return packed
    return inflate(packed, header.raw_length, exactly=True)


def inflate(packed: bytes, limit: int, *, exactly: bool = False) -> bytes:
    """Inflate raw deflate data to at most `limit` bytes. Raises `RecordingUnreadable`."""
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        raw = inflater.decompress(packed, limit + 1)
    except zlib.error as error:
        raise RecordingUnreadable("packed data: damaged") from error
    if len(raw) > limit or not inflater.eof or inflater.unused_data or (exactly and len(raw) != limit):
        raise RecordingUnreadable("packed data: wrong length")
    return raw


def deflate(raw: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(raw) + packer.flush()


def iterate_events(raw: bytes, first_ms: int) -> Iterator[Event]:
    """The events of an unpacked block, including unknown kinds. Raises `RecordingUnreadable`."""
    position, ms, end = 0, first_ms, len(raw)
    while position < end:
        kind = raw[position]
        delta, position = read_varint(raw, position + 1)
        length, position = read_varint(raw, position)
        if length > end - position:
            raise RecordingUnreadable("event: cut off")
        ms += delta
        yield Event(ms, kind, raw[position : position + length])
        position += length


def encode_event(kind: int, delta_ms: int, data: bytes) -> bytes:
    return bytes((kind,)) + varint(delta_ms) + varint(len(data)) + data


def varint(value: int) -> bytes:
    """LEB128 of a number from 0 to 2^53 - 1."""
    if not 0 <= value < _MAX_VARINT:
        raise ValueError("out of range for a varint")
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def read_varint(data: bytes, position: int) -> tuple[int, int]:
    """The number at `position` and the position after it. Raises `RecordingUnreadable`."""
    value = shift = 0
    while True:
        if position >= len(data) or shift >= _MAX_VARINT_SHIFT:
            raise RecordingUnreadable("event: bad number")
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
    if value >= _MAX_VARINT:
        raise RecordingUnreadable("event: bad number")
    return value, position


def json_bytes(value: Any) -> bytes:
    """Compact UTF-8 JSON. Lone surrogates cannot be encoded and become question marks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def parse_object(data: bytes, part: str) -> dict[str, Any]:
    """Parse a JSON object. Raises `RecordingUnreadable`, with `part` in its message."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise RecordingUnreadable(f"{part}: not JSON") from error
    if not isinstance(value, dict):
        raise RecordingUnreadable(f"{part}: not an object")
    return value


def is_size(columns: object, rows: object) -> bool:
    return type(columns) is int and type(rows) is int and 1 <= columns <= MAX_CELLS and 1 <= rows <= MAX_CELLS


def key_id(public_key: bytes) -> str:
    """Id of a 32-byte public key: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(public_key).hexdigest()[:16]


def chain_start(head: bytes) -> bytes:
    """Start of the hash chain, `h0`. `head` is the magic, the header's length and the header."""
    return hashlib.sha256(head).digest()


def chain_next(chain: bytes, block_header: bytes, packed: bytes) -> bytes:
    """Next link of the hash chain: `hi` from `h(i-1)` and a block."""
    return hashlib.sha256(chain + block_header + hashlib.sha256(packed).digest()).digest()


def _content(fields: dict[str, Any]) -> Content:
    stated = fields.get("content")
    if stated is None:
        return Content.PROGRAM if fields.get("streams") else Content.TERMINAL
    return Content(stated) if stated in set(Content) else Content.OTHER


def _events_version(fields: dict[str, Any]) -> int:
    version = fields.get("events", 1)
    if type(version) is not int or version < 1:
        raise RecordingUnreadable("header: events of no version")
    return version


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise RecordingUnreadable(f"header: {name} is missing")
    return value
