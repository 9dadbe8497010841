"""Output that the browser has not acknowledged: what a resumed connection goes on from."""

from collections import deque


class OutputBuffer:
    """Bytes from the last acknowledged count on. Offsets count from the start of the session."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self.start = 0  # offset of the first kept byte
        self.end = 0  # offset after the last one

    @property
    def unacknowledged(self) -> int:
        """Bytes that are kept."""
        return self.end - self.start

    def append(self, data: bytes) -> None:
        if data:
            self._chunks.append(data)
            self.end += len(data)

    def acknowledge(self, received: int) -> None:
        """Forget what the browser has drawn. Counts that make no sense are ignored."""
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
        """Keep only what comes after `offset` (a picture of the screen shows the rest)."""
        self.acknowledge(min(max(offset, self.start), self.end))

    def since(self, offset: int, limit: int) -> bytes:
        """Up to `limit` bytes from `offset` on; empty when there is nothing (or it is gone)."""
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
