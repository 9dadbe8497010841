"""Splits the frames of one direction into pieces of the stream and messages between them."""

from collections.abc import Callable
from typing import Final

from postern.proxies.ssh.rsync.tape import NotFollowed, Tape

_HEADER: Final = 4
_BASE: Final = 7
_DATA: Final = 0
_LONGEST_MESSAGE: Final = 16 * 1024
DELETED: Final = 101
NOT_SENT: Final = 102
TAKEN: Final = 100
#: Messages for users, file numbers and end marks. They are read and ignored, except for the three above.
_MESSAGES: Final = frozenset({*range(1, 11), 22, 33, 42, 86, TAKEN, DELETED, NOT_SENT})


class Frames:
    """Puts pieces of the stream on the tape. `on_message` is called for each message between them.

    Bytes are fed at once and split piece by piece, so that a piece is read before the message after it.
    """

    def __init__(self, tape: Tape, on_message: Callable[[int, bytes], None]) -> None:
        self._tape = tape
        self._on_message = on_message
        self._data = b""
        self._at = 0
        self._header = b""
        self._left = 0
        self._tag = _DATA
        self._message = b""

    def feed(self, data: bytes) -> None:
        """Add bytes. They wait for `take_piece`."""
        self._data = self._data[self._at :] + data
        self._at = 0

    def take_piece(self) -> bool:
        """Process one piece: stream data, a message or a header. Returns False if nothing waits.

        Raises `NotFollowed` if the bytes are not frames.
        """
        data, at = self._data, self._at
        if at >= len(data):
            return False
        if self._left:
            self._at = min(len(data), at + self._left)
            self._left -= self._at - at
            self._take(data, at, self._at)
            return True
        header = data[at : at + _HEADER - len(self._header)]
        self._at += len(header)
        self._header += header
        if len(self._header) == _HEADER:
            self._begin(self._header)
        return True

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
            return
        self._message += data[start:end]
        if not self._left:
            message, self._message = self._message, b""
            self._on_message(self._tag, message)
