"""BER as LDAP uses it (RFC 4511, 5.1): definite lengths only, at most four length bytes."""

from collections.abc import Iterator
from typing import Final

INTEGER: Final = 0x02
OCTETS: Final = 0x04
ENUMERATED: Final = 0x0A
SEQUENCE: Final = 0x30
SET: Final = 0x31

_LONG: Final = 0x80
_MAX_LENGTH_BYTES: Final = 4


class NotBer(ValueError):
    """The bytes are not what LDAP allows."""


def element(tag: int, *contents: bytes) -> bytes:
    """One element with these contents, one after another."""
    content = b"".join(contents)
    return bytes([tag]) + _length(len(content)) + content


def integer(value: int, tag: int = INTEGER) -> bytes:
    """A whole number, not negative."""
    return element(tag, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def octets(value: bytes | str) -> bytes:
    """A string of bytes; text becomes UTF-8."""
    return element(OCTETS, value.encode() if isinstance(value, str) else value)


def boolean(*, value: bool) -> bytes:
    return element(0x01, b"\xff" if value else b"\x00")


def _length(length: int) -> bytes:
    if length < _LONG:
        return bytes([length])
    size = (length.bit_length() + 7) // 8
    return bytes([_LONG | size]) + length.to_bytes(size, "big")


def length_bytes(first: int) -> int:
    """How many bytes follow the first byte of a length; 0 for a short length. Raises NotBer."""
    if first < _LONG:
        return 0
    size = first & 0x7F
    if not 1 <= size <= _MAX_LENGTH_BYTES:
        raise NotBer("indefinite or oversized length")
    return size


def elements(content: bytes | memoryview) -> Iterator[tuple[int, memoryview]]:
    """The elements of a constructed content: tag and content of each. Raises NotBer."""
    view = memoryview(content)
    at, end = 0, len(view)
    while at < end:
        if end - at < 2:
            raise NotBer("truncated element")
        tag, first = view[at], view[at + 1]
        if tag & 0x1F == 0x1F:
            raise NotBer("tags of several bytes")
        at += 2
        size = length_bytes(first)
        if size:
            if end - at < size:
                raise NotBer("truncated length")
            length = int.from_bytes(view[at : at + size], "big")
            at += size
        else:
            length = first
        if end - at < length:
            raise NotBer("truncated content")
        yield tag, view[at : at + length]
        at += length


def number(content: memoryview) -> int:
    """The value of an integer or enumerated element. Raises NotBer."""
    if not 1 <= len(content) <= 4:
        raise NotBer("number out of range")
    return int.from_bytes(content, "big", signed=True)
