"""The two units of the scp protocol, read from chunks of any size: lines and answers."""

from enum import IntEnum
from typing import Final

#: OpenSSH before 8.9 reads lines and answers into 2,048 bytes and treats the rest as the next line. So longer lines
#: would be parsed differently here and there.
_MAX_BYTES: Final = 2040


class Answer(IntEnum):
    """The first byte of an answer. An error is followed by its message and a newline."""

    OK = 0
    ERROR = 1
    FATAL = 2


class LineReader:
    """Collects one line over any number of reads. Raises ValueError if it is too long or contains a NUL."""

    def __init__(self) -> None:
        self._line = bytearray()

    @property
    def has_begun(self) -> bool:
        """Whether a line has started and not ended."""
        return bool(self._line)

    def read(self, data: bytes, position: int) -> tuple[bytes | None, int]:
        """Return the line without its newline once it is complete, else None, and the position after the bytes read."""
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
    """Collects one answer. Raises ValueError if the bytes are not an answer."""

    def __init__(self) -> None:
        self._message = LineReader()

    def read(self, data: bytes, position: int) -> tuple[Answer | None, int]:
        """Return the answer once it is complete, else None, and the position after the bytes read."""
        if not self._message.has_begun:
            first = data[position]
            if first > Answer.FATAL:
                raise ValueError("not an scp answer")
            if first == Answer.OK:
                return Answer.OK, position + 1
        line, position = self._message.read(data, position)
        return (None if line is None else Answer(line[0])), position
