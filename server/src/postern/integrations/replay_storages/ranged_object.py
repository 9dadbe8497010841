"""An object of a bucket as a seekable file, read in ranges. A player jumps; a download reads from the first byte on."""

import io
from collections.abc import Callable
from typing import Any, Final

#: The first range after a jump. Each range that follows without a jump is twice as long, up to the most.
_FIRST_BYTES: Final = 128 * 1024
_MOST_BYTES: Final = 4 * 1024 * 1024


class RemoteFile(io.BufferedReader):
    """A `RangedObject` with a buffer. It may be closed by another thread than the one that reads it."""

    def __init__(self, raw: "RangedObject", end: Callable[[], None]) -> None:
        super().__init__(raw)
        self._end = end

    def close(self) -> None:
        # The buffer is locked by the thread that reads, so its read has to end first.
        self._end()
        super().close()


class RangedObject(io.RawIOBase):
    """`fetch(first, last)` reads these bytes, inclusive. At most one range is in memory. `done`: called once closed."""

    def __init__(self, fetch: Callable[[int, int], bytes], size: int, done: Callable[[], None]) -> None:
        super().__init__()
        self._done = done
        self._fetch = fetch
        self._size = size
        self._place = 0
        self._held = b""
        self._first = 0
        self._next_bytes = _FIRST_BYTES

    def close(self) -> None:
        if not self.closed:
            self._done()
        super().close()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise ValueError("negative seek position")
        self._place = start + offset
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        if self._place >= self._size or not view:
            return 0
        end = self._first + len(self._held)
        if not self._first <= self._place < end:
            self._next_bytes = min(2 * self._next_bytes, _MOST_BYTES) if self._place == end else _FIRST_BYTES
            last = min(self._place + max(self._next_bytes, min(len(view), _MOST_BYTES)), self._size) - 1
            self._held, self._first = b"", self._place
            self._held = self._fetch(self._place, last)
        start = self._place - self._first
        piece = self._held[start : start + len(view)]
        view[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)
