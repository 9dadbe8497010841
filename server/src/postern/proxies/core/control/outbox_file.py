"""The records of an outbox segment: each is a record separator, one JSON text, a newline (RFC 7464).

JSON holds neither of the two bytes unescaped, so a reader finds the next record whatever stands before it. A record
that was torn by a full disk or a crash is skipped alone. A segment is a file of zeros that is filled from the front.
Segments of older versions, JSON lines without separators, are read as well.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_START: Final = b"\x1e"
_END: Final = b"\n"


@dataclass(frozen=True, slots=True)
class Record:
    """One complete record. `end` is the offset behind it."""

    text: bytes
    end: int


def framed(text: bytes) -> bytes:
    """A JSON text as it is written."""
    return _START + text + _END


def unframed(record: bytes) -> bytes:
    """The JSON text of a record."""
    return record[len(_START) : -len(_END)]


def records(data: bytes, start: int = 0) -> Iterator[Record]:
    """The complete records of a segment's bytes from offset `start` on; torn ones are left out."""
    position = start
    while (end := data.find(_END, position)) >= 0:
        # Behind the last separator: what stands before it, back to the previous record, was torn.
        text = data[position:end].rpartition(_START)[2]
        position = end + 1
        if text:
            yield Record(text, position)


def count(path: Path, start: int = 0) -> int:
    """How many complete records a segment has behind offset `start`."""
    return sum(1 for _record in records(path.read_bytes(), start))


def set_aside(path: Path, size: int) -> None:
    """Make a file of `size` zeros whose blocks are the disk's promise. Raises OSError; nothing is left then."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(descriptor, 0, size)
        finally:
            os.close(descriptor)
    except OSError:
        path.unlink(missing_ok=True)
        raise


class SegmentWriter:
    """Fills one segment file, which was set aside, from the front."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        self.capacity: Final = os.fstat(self._descriptor).st_size
        self.size = 0

    @property
    def left(self) -> int:
        """Bytes that are free."""
        return self.capacity - self.size

    def append(self, record: bytes) -> None:
        """Write the record. Raises OSError when the disk did not take all of it; the next record takes its place."""
        position, left = self.size, memoryview(record)
        while left:
            written = os.pwrite(self._descriptor, left, position)
            if not written:
                raise OSError("the disk took nothing")
            position, left = position + written, left[written:]
        self.size = position

    def move_to(self, path: Path) -> None:
        """Give the file another name."""
        try:
            self.path.rename(path)
        except OSError:
            os.close(self._descriptor)
            raise
        self.path = path

    def duplicate(self) -> int:
        """A descriptor of the file for its sync, which outlives this object. The caller closes it."""
        return os.dup(self._descriptor)

    def close(self) -> None:
        """Give back what is free, and let go."""
        try:
            os.ftruncate(self._descriptor, self.size)
        finally:
            os.close(self._descriptor)
