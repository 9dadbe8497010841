"""The end of the output: enough to draw the prompt again when a person begins to type."""

from typing import Final

_KEPT: Final = 8 * 1024
_LIMIT: Final = 4 * _KEPT
_SEED_LINES: Final = 12
#: Sequences that clear the screen: what came before them is no longer to be seen.
_CLEARS: Final = (b"\x1b[2J", b"\x1b[3J", b"\x1b[H\x1b[J", b"\x1bc")


class Tail:
    """Keeps at least the last 8 KB of what was added, at the price of a copy now and then."""

    def __init__(self) -> None:
        self._data = bytearray()

    def add(self, data: bytes) -> None:
        if len(data) >= _KEPT:
            self._data[:] = data[-_KEPT:]
            return
        self._data += data
        if len(self._data) > _LIMIT:
            del self._data[:-_KEPT]

    def seed(self) -> bytes:
        """From the last clearing on, or the last lines."""
        cleared = max(self._data.rfind(clear) for clear in _CLEARS)
        start = len(self._data)
        for _ in range(_SEED_LINES):
            start = self._data.rfind(b"\n", 0, start)
            if start < 0:
                break
        # A line start is never inside a sequence that a program meant to be seen.
        return bytes(self._data[max(cleared, start + 1, 0) :])
