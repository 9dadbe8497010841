"""The end of the output: enough to redraw the prompt when a user starts to type."""

from typing import Final

_KEPT: Final = 8 * 1024
_LIMIT: Final = 4 * _KEPT
_SEED_LINES: Final = 12
#: Sequences that clear the screen. Output before them is no longer visible.
_CLEARS: Final = (b"\x1b[2J", b"\x1b[3J", b"\x1b[H\x1b[J", b"\x1bc")


class Tail:
    """Keeps at least the last 8 KB of the output. Older output is removed in occasional larger copies."""

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
        """Return the output since the screen was last cleared, but at most the last lines."""
        cleared = max(self._data.rfind(clear) for clear in _CLEARS)
        start = len(self._data)
        for _ in range(_SEED_LINES):
            start = self._data.rfind(b"\n", 0, start)
            if start < 0:
                break
        # Output that a program prints on purpose has no line feed inside an escape sequence.
        return bytes(self._data[max(cleared, start + 1, 0) :])
