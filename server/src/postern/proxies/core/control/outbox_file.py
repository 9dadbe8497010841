"""The records of an outbox segment: each is a record separator, one JSON text and a newline (RFC 7464).

JSON contains neither byte unescaped, so a reader finds the next record after any damage. A record torn by a full disk
or a crash is skipped alone. A segment is a file of zeros that is filled from the front. Segments of older versions,
JSON lines without separators, can be read as well.
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
    """One complete record. `end` is the offset after it."""

    text: bytes
    end: int


def framed(text: bytes) -> bytes:
    """Frame a JSON text as a record."""
    return _START + text + _END


def unframed(record: bytes) -> bytes:
    """Return the JSON text of a record."""
    return record[len(_START) : -len(_END)]


def records(data: bytes, start: int = 0) -> Iterator[Record]:
    """Yield the complete records of a segment from offset `start`. Torn records are skipped."""
    position = start
    while (end := data.find(_END, position)) >= 0:
        # The text follows the last separator. Anything between the previous record and that separator was torn.
        text = data[position:end].rpartition(_START)[2]
        position = end + 1
        if text:
            yield Record(text, position)


def count(path: Path, start: int = 0) -> int:
    """Count the complete records of a segment from offset `start`."""
    return sum(1 for _record in records(path.read_bytes(), start))


def set_aside(path: Path, size: int) -> None:
    """Create a file of `size` zeros with all blocks allocated. Raises OSError, and leaves no file then."""
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
    """Fills one preallocated segment file from the front."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        self.capacity: Final = os.fstat(self._descriptor).st_size
        self.size = 0

    @property
    def left(self) -> int:
        """Free bytes in the segment."""
        return self.capacity - self.size

    def append(self, record: bytes) -> None:
        """Write the record. Raises OSError if the disk did not accept all of it; the next record then overwrites it."""
        position, left = self.size, memoryview(record)
        while left:
            written = os.pwrite(self._descriptor, left, position)
            if not written:
                raise OSError("the disk took nothing")
            position, left = position + written, left[written:]
        self.size = position

    def move_to(self, path: Path) -> None:
        """Rename the file."""
        try:
            self.path.rename(path)
        except OSError:
            os.close(self._descriptor)
            raise
        self.path = path

    def duplicate(self) -> int:
        """Duplicate the file descriptor, for a sync that outlives this object. The caller closes it."""
        return os.dup(self._descriptor)

    def close(self) -> None:
        """Cut the unused end off the file and close it."""
        try:
            os.ftruncate(self._descriptor, self.size)
        finally:
            os.close(self._descriptor)
