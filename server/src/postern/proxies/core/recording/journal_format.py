"""Records and segments of the journal: encoding and scanning of bytes (docs/reference/recording-format.md)."""

import struct
import zlib
from typing import Final, NamedTuple

SEGMENT_MAGIC: Final = b"PSTNJNL\x01"
SEGMENT_HEADER: Final = struct.Struct(">8sII")
RECORD_HEADER: Final = struct.Struct(">IIIBHI")  # length, crc, session, kind, ms (high 16 bits, low 32 bits)
#: The two halves of the header: the checksum covers the second one and the data.
_LENGTH_AND_CRC: Final = struct.Struct(">II")
_COUNTED: Final = struct.Struct(">IBHI")
#: The bytes besides the data that a record's length counts: session, kind and time.
COUNTED_BYTES: Final = 11
_CRC_END: Final = 8
MAX_DATA_BYTES: Final = 65_536
MIN_SEGMENT_BYTES: Final = 2 * (MAX_DATA_BYTES + RECORD_HEADER.size) + SEGMENT_HEADER.size

BEGIN: Final = ord("b")
SEGMENT_END: Final = ord("z")

_POSITION_BITS: Final = 32


class Record(NamedTuple):
    """One record of the journal. `position` is its own and `next_position` that of the next record (see
    `position_of`).
    """

    position: int
    next_position: int
    session: int
    kind: int
    ms: int
    data: bytes


def position_of(segment: int, offset: int) -> int:
    """Return a position in the journal as one number that grows with time."""
    return segment << _POSITION_BITS | offset


def segment_of(position: int) -> int:
    return position >> _POSITION_BITS


def offset_of(position: int) -> int:
    return position & ((1 << _POSITION_BITS) - 1)


def encode_record(session: int, kind: int, ms: int, data: bytes) -> bytes:
    """Encode one record. `data` has at most `MAX_DATA_BYTES`."""
    counted = _COUNTED.pack(session, kind, ms >> 32 & 0xFFFF, ms & 0xFFFFFFFF)
    crc = zlib.crc32(data, zlib.crc32(counted))
    return _LENGTH_AND_CRC.pack(COUNTED_BYTES + len(data), crc) + counted + data


def encode_segment_header(segment: int) -> bytes:
    return SEGMENT_HEADER.pack(SEGMENT_MAGIC, segment, 0)


def is_segment_header(data: bytes, segment: int) -> bool:
    return data[: SEGMENT_HEADER.size] == encode_segment_header(segment)


def scan_records(data: bytes, segment: int, offset: int) -> tuple[list[Record], int]:
    """Return all whole records at the start of `data`, and the number of bytes they take.

    `data` begins at `offset` of the segment. Stops silently at the first record that is not complete (yet).
    """
    records: list[Record] = []
    at, end = 0, len(data)
    while end - at >= RECORD_HEADER.size:
        length, crc, session, kind, ms_high, ms_low = RECORD_HEADER.unpack_from(data, at)
        if not COUNTED_BYTES <= length <= COUNTED_BYTES + MAX_DATA_BYTES:
            break
        stop = at + _CRC_END + length
        if stop > end or zlib.crc32(data[at + _CRC_END : stop]) != crc:
            break
        records.append(
            Record(
                position_of(segment, offset + at),
                position_of(segment, offset + stop),
                session,
                kind,
                ms_high << 32 | ms_low,
                data[at + RECORD_HEADER.size : stop],
            )
        )
        at = stop
    return records, at
