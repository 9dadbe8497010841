"""SFTP version 3 as far as audit and rules need it: splits byte streams into packets. Does no I/O.

The payload of WRITE and DATA packets is not buffered: only its first bytes are inspected, the rest is counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

INIT: Final = 1
VERSION: Final = 2
OPEN: Final = 3
CLOSE: Final = 4
READ: Final = 5
WRITE: Final = 6
LSTAT: Final = 7
FSTAT: Final = 8
SETSTAT: Final = 9
FSETSTAT: Final = 10
OPENDIR: Final = 11
READDIR: Final = 12
REMOVE: Final = 13
MKDIR: Final = 14
RMDIR: Final = 15
REALPATH: Final = 16
STAT: Final = 17
RENAME: Final = 18
READLINK: Final = 19
SYMLINK: Final = 20
STATUS: Final = 101
HANDLE: Final = 102
DATA: Final = 103
NAME: Final = 104
ATTRS: Final = 105
EXTENDED: Final = 200
EXTENDED_REPLY: Final = 201

FLAG_READ: Final = 0x01
FLAG_WRITE: Final = 0x02
FLAG_APPEND: Final = 0x04
FLAG_CREATE: Final = 0x08
FLAG_TRUNCATE: Final = 0x10
FLAG_EXCLUSIVE: Final = 0x20
FLAGS_CHANGING: Final = FLAG_WRITE | FLAG_APPEND | FLAG_CREATE | FLAG_TRUNCATE

STATUS_OK: Final = 0
STATUS_EOF: Final = 1
STATUS_NO_SUCH_FILE: Final = 2
STATUS_PERMISSION_DENIED: Final = 3
STATUS_FAILURE: Final = 4
STATUS_UNSUPPORTED: Final = 8

#: OpenSSH allows 256 KiB. A longer packet is an attack or an error.
MAX_PACKET: Final = 256 * 1024 + 1024
_MAX_HANDLE: Final = 256
#: Enough of a WRITE packet to contain the handle: type, id, string, offset, length.
_WRITE_HEAD: Final = 1 + 4 + 4 + _MAX_HANDLE + 8 + 4
_DATA_HEAD: Final = 1 + 4 + 4


class Malformed(ValueError):
    """Bytes that are not SFTP. Nothing after them can be parsed."""


@dataclass(frozen=True, slots=True)
class Packet:
    """The head of a packet.

    `body` starts after the type byte; of WRITE and DATA packets it is only the first part. `length` is that of the
    whole packet including its length field.
    """

    type: int
    body: bytes
    length: int

    @property
    def request_id(self) -> int:
        return self.number(0)

    def number(self, at: int) -> int:
        """Return the 32-bit number at `at`."""
        if at + 4 > len(self.body):
            raise Malformed("a packet is too short")
        return int.from_bytes(self.body[at : at + 4], "big")

    def string(self, at: int) -> tuple[bytes, int]:
        """Return the string at `at`, and the position of its end."""
        end = at + 4 + self.number(at)
        if end > len(self.body):
            raise Malformed("a string is longer than its packet")
        return self.body[at + 4 : end], end


class PacketCutter:
    """Splits a stream. `feed` yields, in order, heads of packets and the raw bytes that belong to them."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._rest = 0  # remaining bytes of a packet whose head was yielded
        self._needed = 5

    @property
    def between_packets(self) -> bool:
        return not self._head and not self._rest

    @property
    def head(self) -> bytes:
        """The buffered beginning of a packet, too short to be yielded."""
        return bytes(self._head)

    @property
    def in_body(self) -> bool:
        """Whether the head of the current packet was yielded but not all of its bytes."""
        return bool(self._rest)

    def feed(self, data: bytes) -> Iterator[Packet | bytes]:
        """Yield packets. A `Packet` is followed by its raw bytes: first those of its head, then the rest as it
        arrives.
        """
        position = 0
        end = len(data)
        while position < end:
            if self._rest:
                take = min(self._rest, end - position)
                self._rest -= take
                yield data[position : position + take]
                position += take
                continue
            take = min(self._needed - len(self._head), end - position)
            self._head += data[position : position + take]
            position += take
            if len(self._head) < self._needed:
                return
            length = int.from_bytes(self._head[:4], "big") + 4
            if not 5 <= length <= MAX_PACKET:
                raise Malformed(f"a packet of {length} bytes")
            self._needed = min(length, 4 + _wanted(self._head[4], length))
            if len(self._head) < self._needed:
                continue
            raw = bytes(self._head)
            self._head.clear()
            self._needed = 5
            self._rest = length - len(raw)
            yield Packet(raw[4], raw[5:], length)
            yield raw


def _wanted(kind: int, length: int) -> int:
    """Return how many bytes of a packet of this type must be seen, without the length field."""
    if kind == WRITE:
        return min(length, _WRITE_HEAD)
    if kind == DATA:
        return min(length, _DATA_HEAD)
    return length


def request(kind: int, request_id: int, strings: tuple[bytes, ...], tail: bytes = b"") -> bytes:
    """Encode a packet that consists of strings, and of `tail`."""
    body = bytes([kind]) + request_id.to_bytes(4, "big")
    body += b"".join(len(string).to_bytes(4, "big") + string for string in strings) + tail
    return len(body).to_bytes(4, "big") + body


def status(request_id: int, code: int, message: str) -> bytes:
    """Encode a STATUS answer."""
    text = message.encode()
    body = (
        bytes([STATUS])
        + request_id.to_bytes(4, "big")
        + code.to_bytes(4, "big")
        + len(text).to_bytes(4, "big")
        + text
        + (0).to_bytes(4, "big")
    )
    return len(body).to_bytes(4, "big") + body
