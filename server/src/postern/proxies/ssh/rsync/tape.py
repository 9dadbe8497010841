"""The unread bytes of one direction, and rsync's encodings of numbers and strings."""

from typing import Final

_INT32_BYTES: Final = 4
_INT64_BYTES: Final = 8


class Short(Exception):
    """The unit being read is incomplete. Read it again from its start when more bytes have arrived."""


class NotFollowed(Exception):
    """The stream cannot be parsed with certainty from here on. The text says why."""


def _extra_bytes(first: int) -> int:
    """Return the number of extra bytes that the leading 1 bits in a packed number's first byte mean."""
    if first < 0x80:
        return 0
    if first < 0xC0:
        return 1
    if first < 0xE0:
        return 2
    if first < 0xF0:
        return 3
    if first < 0xF8:
        return 4
    return 5 if first < 0xFC else 6


class Tape:
    """A queue of bytes. A reader consumes whole units, and on `Short` returns to its `mark`."""

    __slots__ = ("_at", "_bytes", "_to_skip")

    def __init__(self) -> None:
        self._bytes = b""
        self._at = 0
        self._to_skip = 0

    def feed(self, data: bytes, start: int, end: int) -> None:
        """Add `data[start:end]`, except for bytes that are to be skipped."""
        if self._to_skip:
            skipped = min(self._to_skip, end - start)
            self._to_skip -= skipped
            start += skipped
        if start < end:
            self._bytes = self._bytes[self._at :] + data[start:end]
            self._at = 0

    @property
    def mark(self) -> int:
        return self._at

    def back_to(self, mark: int) -> None:
        self._at = mark

    @property
    def has_more(self) -> bool:
        return self._at < len(self._bytes)

    def rest(self) -> bytes:
        """Remove and return all remaining bytes."""
        rest, self._bytes, self._at = self._bytes[self._at :], b"", 0
        return rest

    def skip(self, count: int) -> None:
        """Skip bytes, including those that have not arrived yet. Always the last step of a unit."""
        here = min(count, len(self._bytes) - self._at)
        self._at += here
        self._to_skip = count - here

    def take(self, count: int) -> bytes:
        end = self._at + count
        if end > len(self._bytes):
            raise Short
        data = self._bytes[self._at : end]
        self._at = end
        return data

    def byte(self) -> int:
        at = self._at
        if at >= len(self._bytes):
            raise Short
        self._at = at + 1
        return self._bytes[at]

    def short(self) -> int:
        return int.from_bytes(self.take(2), "little")

    def number(self) -> int:
        """Read a signed 32-bit number."""
        return int.from_bytes(self.take(4), "little", signed=True)

    def varint(self) -> int:
        """Read an unsigned number of up to 32 bits, packed into one to five bytes."""
        first = self.byte()
        if first < 0x80:
            return first
        extra = _extra_bytes(first)
        low = self.take(extra) if extra <= _INT32_BYTES else b""
        high = first & ((1 << (8 - extra)) - 1)
        if extra > _INT32_BYTES or (extra == _INT32_BYTES and high):
            raise NotFollowed("a number is too large")
        return int.from_bytes(low, "little") | high << (8 * extra)

    def varlong(self, least: int) -> int:
        """Read a signed number of up to 64 bits, packed into at least `least` bytes."""
        first = self.byte()
        extra = _extra_bytes(first)
        length = least - 1 + extra
        if length > _INT64_BYTES:
            raise NotFollowed("a number is too large")
        low = self.take(length)
        high = first & ((1 << (8 - extra)) - 1)
        if length == _INT64_BYTES and high:
            raise NotFollowed("a number is too large")
        value = int.from_bytes(low, "little") | high << (8 * length)
        return value - (1 << 64) if value >> 63 else value

    def string(self, longest: int) -> bytes:
        """Read a string after its length of one or two bytes."""
        length = self.byte()
        if length & 0x80:
            length = (length & 0x7F) << 8 | self.byte()
        if length > longest:
            raise NotFollowed("a string is too long")
        return self.take(length)


DONE: Final = -1
LIST_END: Final = -2
DELETION_COUNTS: Final = -3
FIRST_LIST: Final = -101


class Index:
    """File numbers as one side writes them: each as the difference to the previous number."""

    def __init__(self) -> None:
        self._positive = -1
        self._negative = 1

    def read(self, tape: Tape) -> int:
        """Read the next number. Must be its own unit, because the number is remembered."""
        first = tape.byte()
        if first == 0:
            return DONE
        is_negative = first == 0xFF
        before = self._negative if is_negative else self._positive
        if is_negative:
            first = tape.byte()
        if first == 0xFE:
            high, low = tape.take(2)
            if high & 0x80:
                middle = tape.take(2)
                number = (high & 0x7F) << 24 | middle[1] << 16 | middle[0] << 8 | low
            else:
                number = before + (high << 8 | low)
        elif first in (0, 0xFF):
            raise NotFollowed("a number of a file is malformed")
        else:
            number = before + first
        if number >> 31:
            raise NotFollowed("a number of a file is too large")
        if is_negative:
            self._negative = number
            return -number
        self._positive = number
        return number
