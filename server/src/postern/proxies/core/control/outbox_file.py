"""The records of an outbox segment: each is a record separator, one JSON text, a newline (RFC 7464).

JSON holds neither of the two bytes unescaped, so a reader finds the next record whatever stands before it. A record
that was torn by a full disk or a crash is skipped alone. Segments of older versions, JSON lines without separators,
are read as well.
"""

import contextlib
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


class SegmentWriter:
    """Appends whole records to one segment file, or nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self.size = os.fstat(self._descriptor).st_size

    def append(self, record: bytes) -> None:
        """Write the record. Raises OSError when the disk did not take all of it; the file then ends as before."""
        left = memoryview(record)
        try:
            while left:  # a full disk takes a part and refuses the rest with the next call
                left = left[os.write(self._descriptor, left) :]
        except OSError:
            # Should this fail too, the torn bytes stay: the next record's separator ends them.
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, self.size)
            raise
        finally:
            self.size = os.fstat(self._descriptor).st_size

    def close(self) -> None:
        os.close(self._descriptor)


class Reserve:
    """Room on the disk that is kept for events: what happens on a full disk is told all the same."""

    def __init__(self, path: Path, size_bytes: int) -> None:
        self._path = path
        self._size_bytes = size_bytes

    def take(self) -> None:
        """Set the room aside, unless it is already, or there is none."""
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return
        try:
            if os.fstat(descriptor).st_size < self._size_bytes:
                os.posix_fallocate(descriptor, 0, self._size_bytes)
        except OSError:
            self._path.unlink(missing_ok=True)
        finally:
            os.close(descriptor)

    def release(self) -> bool:
        """Give the room to whoever writes next. False when there was none set aside."""
        try:
            self._path.unlink()
        except OSError:
            return False
        return True
