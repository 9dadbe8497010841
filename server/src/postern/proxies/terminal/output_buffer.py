"""Output that the browser has not acknowledged, from which a resumed connection continues."""

from collections import deque
from typing import Final

#: Maximum positions in the output that are remembered, to align a snapshot with the page's output.
_MAX_MARKS: Final = 4096


class OutputBuffer:
    """Bytes after the last acknowledged offset. Offsets count from the start of the session."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self.start = 0  # offset of the first retained byte
        self.end = 0  # offset after the last byte
        #: Host byte count → page byte count. Empty if both are the same.
        self._marks: deque[tuple[int, int]] = deque(maxlen=_MAX_MARKS)

    @property
    def unacknowledged(self) -> int:
        """Number of retained bytes."""
        return self.end - self.start

    def append(self, data: bytes) -> None:
        if data:
            self._chunks.append(data)
            self.end += len(data)

    def mark(self, host_offset: int) -> None:
        """Note how many bytes of the host make the output so far, because the page's bytes differ from them."""
        self._marks.append((host_offset, self.end))

    def shown_at(self, host_offset: int) -> int:
        """Return the page's byte count at a byte count of the host. The start if it is not remembered."""
        return next((page_offset for host, page_offset in reversed(self._marks) if host <= host_offset), self.start)

    def acknowledge(self, received: int) -> None:
        """Drop bytes that the browser has drawn. Invalid counts are ignored."""
        if received > self.end:
            return
        while self._chunks and self.start < received:
            first = self._chunks[0]
            if self.start + len(first) <= received:
                self._chunks.popleft()
                self.start += len(first)
            else:
                self._chunks[0] = first[received - self.start :]
                self.start = received

    def restart(self, offset: int) -> None:
        """Retain only bytes after `offset`. A snapshot of the screen shows the rest."""
        self.acknowledge(min(max(offset, self.start), self.end))

    def since(self, offset: int, limit: int) -> bytes:
        """Return up to `limit` bytes from `offset`. Empty if there are none, or they were dropped."""
        if not self.start <= offset < self.end:
            return b""
        parts: list[bytes] = []
        length = 0
        at = self.start
        for chunk in self._chunks:
            if at + len(chunk) > offset and length < limit:
                part = chunk[max(0, offset - at) :][: limit - length]
                parts.append(part)
                length += len(part)
            at += len(chunk)
            if length >= limit:
                break
        return b"".join(parts)
