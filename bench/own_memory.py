"""The memory that belongs to this process alone, and the most of it: not the file of SQLite, which it maps and shares."""

import threading
from pathlib import Path
from typing import Final

_STATUS: Final = Path("/proc/self/status")
_EACH_S: Final = 0.01


def own_mb() -> float:
    """Anonymous memory of this process in MB (2^20 bytes)."""
    for line in _STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    raise LookupError("this kernel does not say how much memory is the process's own")


class Peak:
    """Looks at the memory in a thread, from its making on."""

    def __init__(self) -> None:
        self._most = own_mb()
        self._ended = threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while not self._ended.wait(_EACH_S):
            self._most = max(self._most, own_mb())

    def end(self) -> float:
        """Stop looking. Returns the most, in MB."""
        self._ended.set()
        return max(self._most, own_mb())
