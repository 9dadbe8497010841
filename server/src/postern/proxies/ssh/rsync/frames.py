"""Takes the frames of one direction apart: pieces of the stream itself, and messages between them."""

from collections.abc import Callable
from typing import Final

from postern.proxies.ssh.rsync.tape import NotFollowed, Tape

_HEADER: Final = 4
_BASE: Final = 7
_DATA: Final = 0
_LONGEST_MESSAGE: Final = 16 * 1024
DELETED: Final = 101
NOT_SENT: Final = 102
#: Words for people, numbers of files, marks of the end: read and left alone, but for the two above.
_MESSAGES: Final = frozenset({*range(1, 11), 22, 33, 42, 86, 100, DELETED, NOT_SENT})


class Frames:
    """`on_data` is called after each piece of the stream that came on the tape, `on_message` for each message."""

    def __init__(self, tape: Tape, on_data: Callable[[], None], on_message: Callable[[int, bytes], None]) -> None:
        self._tape = tape
        self._on_data = on_data
        self._on_message = on_message
        self._header = b""
        self._left = 0
        self._tag = _DATA
        self._message = b""

    def feed(self, data: bytes) -> None:
        """Raises `NotFollowed` when these are no frames."""
        at = 0
        while at < len(data):
            if self._left:
                end = min(len(data), at + self._left)
                self._left -= end - at
                self._take(data, at, end)
                at = end
                continue
            needed = _HEADER - len(self._header)
            self._header += data[at : at + needed]
            at += needed
            if len(self._header) == _HEADER:
                self._begin(self._header)

    def _begin(self, header: bytes) -> None:
        self._left = int.from_bytes(header[:3], "little")
        self._tag = header[3] - _BASE
        self._header = b""
        if self._tag != _DATA:
            if self._tag not in _MESSAGES or self._left > _LONGEST_MESSAGE:
                raise NotFollowed("a message is of no known kind")
            if not self._left:
                self._on_message(self._tag, b"")

    def _take(self, data: bytes, start: int, end: int) -> None:
        if self._tag == _DATA:
            self._tape.feed(data, start, end)
            self._on_data()
            return
        self._message += data[start:end]
        if not self._left:
            message, self._message = self._message, b""
            self._on_message(self._tag, message)
