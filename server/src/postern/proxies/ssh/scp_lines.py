"""The two units of the scp protocol, cut out of bytes that arrive in any pieces: lines and answers."""

from enum import IntEnum
from typing import Final

#: OpenSSH before 8.9 reads lines and answers into 2,048 bytes and takes the rest of a longer one for the next: so longer
#: ones would be read in another way here than there.
_MAX_BYTES: Final = 2040


class Answer(IntEnum):
    """The first byte of an answer. An error is followed by its message and a newline."""

    OK = 0
    ERROR = 1
    FATAL = 2


class LineReader:
    """Collects one line over any number of reads. Raises ValueError when it is too long, or holds a NUL."""

    def __init__(self) -> None:
        self._line = bytearray()

    @property
    def has_begun(self) -> bool:
        """Whether a line has begun and not ended."""
        return bool(self._line)

    def read(self, data: bytes, position: int) -> tuple[bytes | None, int]:
        """The line without its newline, once it is complete, and the position behind what was read."""
        end = data.find(b"\n", position)
        behind = len(data) if end < 0 else end + 1
        if behind - position + len(self._line) > _MAX_BYTES:
            raise ValueError("a line is too long")
        self._line += data[position:behind]
        if b"\0" in self._line:
            raise ValueError("a line holds a NUL")
        if end < 0:
            return None, behind
        line = bytes(self._line[:-1])
        self._line.clear()
        return line, behind


class AnswerReader:
    """Collects one answer. Raises ValueError on what is none."""

    def __init__(self) -> None:
        self._message = LineReader()

    def read(self, data: bytes, position: int) -> tuple[Answer | None, int]:
        """The answer, once it is complete, and the position behind what was read."""
        if not self._message.has_begun:
            first = data[position]
            if first > Answer.FATAL:
                raise ValueError("not an scp answer")
            if first == Answer.OK:
                return Answer.OK, position + 1
        line, position = self._message.read(data, position)
        return (None if line is None else Answer(line[0])), position
