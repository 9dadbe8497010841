"""The bytes of one direction that are not read yet, and rsync's ways of writing numbers and strings on them."""

from typing import Final

_INT32_BYTES: Final = 4
_INT64_BYTES: Final = 8


class Short(Exception):
    """What is being read has not come whole. Read it again from its beginning when more is there."""


class NotFollowed(Exception):
    """The stream cannot be followed with certainty from here on; the text says why."""


def _extra_bytes(first: int) -> int:
    """How many bytes the leading ones of the first byte of a packed number stand for."""
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
    """Bytes in order. A reader takes whole units; on `Short` it goes back to its `mark`."""

    __slots__ = ("_at", "_bytes", "_to_skip")

    def __init__(self) -> None:
        self._bytes = b""
        self._at = 0
        self._to_skip = 0

    def feed(self, data: bytes, start: int, end: int) -> None:
        """Add `data[start:end]`; what was to be skipped is not kept."""
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
    def is_skipping(self) -> bool:
        return self._to_skip > 0

    @property
    def has_more(self) -> bool:
        return self._at < len(self._bytes)

    def rest(self) -> bytes:
        """All that is left, taken off."""
        rest, self._bytes, self._at = self._bytes[self._at :], b"", 0
        return rest

    def skip(self, count: int) -> None:
        """Leave so many bytes out, also those that have not come. Always the last step of a unit."""
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
        """32 bits, with a sign."""
        return int.from_bytes(self.take(4), "little", signed=True)

    def varint(self) -> int:
        """Up to 32 bits, without a sign, packed into one to five bytes."""
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
        """Up to 64 bits, with a sign, packed into at least `least` bytes."""
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
        """A string behind its length of one or two bytes."""
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
    """Numbers of files as one side writes them: each as the distance to the one before."""

    def __init__(self) -> None:
        self._positive = -1
        self._negative = 1

    def read(self, tape: Tape) -> int:
        """The next number. Its own unit: it remembers the number."""
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
