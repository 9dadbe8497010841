"""Follows the framing of a transfer in a program's input, byte by byte, as long as it matches the protocol.

Each framing reads the stream's bytes in order and returns how many at the start of a piece are well-formed. The
remaining bytes are either an incomplete header or no longer the protocol. In the latter case it returns 0 from there
on.
"""

import re
from collections.abc import Callable
from typing import Final, Protocol

_BLOCK: Final = 512
_TAR_CHECKSUM: Final = slice(148, 156)
_TAR_SIZE: Final = slice(124, 136)
_TAR_TYPE: Final = slice(156, 157)
_TAR_MAGIC: Final = slice(257, 262)
#: Types of entries with content and without. Sparse files and multi-volume archives of GNU tar are not accepted.
_TAR_WITH_CONTENT: Final = frozenset(b"\x000" + b"7xgLK")
_TAR_WITHOUT: Final = frozenset(b"123456")

_SCP_LINE: Final = re.compile(
    rb"(?:T\d{1,19} \d{1,9} \d{1,19} \d{1,9}|C[0-7]{4,5} (\d{1,19}) [^/]+|D[0-7]{4,5} 0 [^/]+|E)"
)
_SCP_MAX_LINE: Final = 8192

_RSYNC_VERSIONS: Final = range(30, 41)
_RSYNC_HEADER: Final = 4
_RSYNC_TAGS: Final = frozenset(7 + code for code in (*range(11), 22, 33, 42, 86, 100, 101, 102))
#: The names of checksums and compressions that a side offers, one string each: length, then words.
_RSYNC_CHOICES: Final = re.compile(rb"[a-z0-9 ]+")
_RSYNC_MAX_CHOICES: Final = 2
_RSYNC_MAX_CHOICE_BYTES: Final = 256


class Framing(Protocol):
    """The framing of one protocol on one stream."""

    def take(self, data: bytes) -> int:
        """Return how many bytes at the start of `data`, the next bytes of the stream, are well-formed. Never raises."""


class _HeadersAndContent:
    """The common structure of tar, scp and rsync: headers, some followed by a known number of content bytes."""

    def __init__(self) -> None:
        self._head = b""
        self._content_left = 0
        self._is_over = False

    def take(self, data: bytes) -> int:
        at = 0
        while at < len(data) and not self._is_over:
            if self._content_left:
                part = min(self._content_left, len(data) - at)
                self._content_left -= part
                at += part
                continue
            before = len(self._head)
            size = self._header(head := self._head + data[at : at + self._longest() - before])
            if size is None:
                self._is_over = True
            elif size:
                at += size - before
                self._head = b""
            else:
                self._head = head
                return at
        return at

    def _longest(self) -> int:
        """Return the maximum size of the next header."""
        raise NotImplementedError

    def _header(self, head: bytes) -> int | None:
        """Return the size of the header at the start of `head`, and set `_content_left`. 0 if incomplete, None if
        invalid.
        """
        raise NotImplementedError


class TarFraming(_HeadersAndContent):
    """Headers with magic and checksum wherever one must be, then zeros to the end."""

    def __init__(self) -> None:
        super().__init__()
        self._ended = False

    def _longest(self) -> int:
        return _BLOCK

    def _header(self, head: bytes) -> int | None:
        if not head.strip(b"\0"):
            # A block of zeros ends the archive. Further zeros fill its last record.
            self._ended |= len(head) == _BLOCK
            return len(head) if self._ended else 0
        if self._ended:
            return None
        if len(head) < _BLOCK:
            return 0
        size = _tar_number(head[_TAR_SIZE])
        kind = head[_TAR_TYPE][0]
        if head[_TAR_MAGIC] != b"ustar" or size is None or not _tar_checksum_fits(head):
            return None
        if kind not in (_TAR_WITH_CONTENT if size else _TAR_WITH_CONTENT | _TAR_WITHOUT):
            return None
        self._content_left = -(-size // _BLOCK) * _BLOCK
        return _BLOCK


def _tar_number(field: bytes) -> int | None:
    if field[0] == 0x80:  # too large for octal digits
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0")
    return int(digits, 8) if digits and not digits.strip(b"01234567") else None


def _tar_checksum_fits(block: bytes) -> bool:
    return sum(block) - sum(block[_TAR_CHECKSUM]) + 8 * 0x20 == _tar_number(block[_TAR_CHECKSUM])


class ScpFraming(_HeadersAndContent):
    """Lines for times, files, folders and their ends. Each file is followed by its bytes and one zero."""

    def __init__(self) -> None:
        super().__init__()
        self._file_is_open = False

    def _longest(self) -> int:
        return 1 if self._file_is_open else _SCP_MAX_LINE

    def _header(self, head: bytes) -> int | None:
        if self._file_is_open or head[0] == 0:  # the end of a file, or the receiving side acknowledges
            self._file_is_open = False
            return 1 if head[0] == 0 else None
        end = head.find(b"\n")
        if end < 0:
            return 0 if len(head) < _SCP_MAX_LINE else None
        match = _SCP_LINE.fullmatch(head, 0, end)
        if match is None:
            return None
        if match[1] is not None:
            self._content_left, self._file_is_open = int(match[1]), True
        return end + 1


class RsyncFraming(_HeadersAndContent):
    """The client side of protocol 30 or newer: version, optionally negotiated choices, then tagged frames."""

    def __init__(self) -> None:
        super().__init__()
        self._greeted = False
        self._choices = 0

    def _longest(self) -> int:
        return _RSYNC_HEADER

    def _header(self, head: bytes) -> int | None:
        if len(head) < _RSYNC_HEADER:
            return 0
        number = int.from_bytes(head, "little")
        if not self._greeted:
            self._greeted = True
            return _RSYNC_HEADER if number in _RSYNC_VERSIONS else None
        if number >> 24 in _RSYNC_TAGS:
            self._choices = _RSYNC_MAX_CHOICES  # none follow after the first frame
            self._content_left = number & 0xFFFFFF
            return _RSYNC_HEADER
        # Choices have one byte of length, or two for 128 and more.
        length, prefix = (head[0], 1) if head[0] < 0x80 else ((head[0] & 0x7F) << 8 | head[1], 2)
        words = head[prefix:]
        if self._choices == _RSYNC_MAX_CHOICES or not len(words) <= length <= _RSYNC_MAX_CHOICE_BYTES:
            return None
        if not _RSYNC_CHOICES.fullmatch(words):
            return None
        self._choices += 1
        self._content_left = length - len(words)
        return _RSYNC_HEADER


FRAMINGS: Final[dict[str, Callable[[], Framing]]] = {"tar": TarFraming, "scp": ScpFraming, "rsync": RsyncFraming}
