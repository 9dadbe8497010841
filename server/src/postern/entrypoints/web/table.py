"""Numbers that web processes share with their parent and each other: shared memory without locks.

Each number has a single writer. A reader may get a number that is microseconds old, which is sufficient.
"""

import mmap
from typing import Final

_COLUMNS: Final = 5
_BYTES: Final = 8


class Row:
    """The numbers of one web process, written by that process, except for `clear`."""

    def __init__(self, numbers: memoryview, start: int) -> None:
        self._numbers = numbers
        self._start = start

    def clear(self) -> None:
        """Reset the row before the next process uses it."""
        for column in range(_COLUMNS):
            self._numbers[self._start + column] = 0

    def _get(self, column: int) -> int:
        value: int = self._numbers[self._start + column]
        return value

    def _set(self, column: int, value: int) -> None:
        self._numbers[self._start + column] = value

    @property
    def taken(self) -> int:
        """Connections that the process has taken over so far."""
        return self._get(0)

    @taken.setter
    def taken(self, value: int) -> None:
        self._set(0, value)

    @property
    def connections(self) -> int:
        """Open HTTP connections."""
        return self._get(1)

    @connections.setter
    def connections(self, value: int) -> None:
        self._set(1, value)

    @property
    def websockets(self) -> int:
        """Open websockets."""
        return self._get(2)

    @websockets.setter
    def websockets(self, value: int) -> None:
        self._set(2, value)

    @property
    def requests(self) -> int:
        """Running requests."""
        return self._get(4)

    @requests.setter
    def requests(self, value: int) -> None:
        self._set(4, value)

    @property
    def alive_ms(self) -> int:
        """Time of the monotonic clock at the last turn of the event loop."""
        return self._get(3)

    @alive_ms.setter
    def alive_ms(self, value: int) -> None:
        self._set(3, value)


class Table:
    """Rows for `size` processes, and the number of running processes (written by the parent)."""

    def __init__(self, size: int) -> None:
        self._memory = mmap.mmap(-1, (size + 1) * _COLUMNS * _BYTES)  # shared with every process forked later
        self._numbers = memoryview(self._memory).cast("q")
        self.rows: Final = tuple(Row(self._numbers, (number + 1) * _COLUMNS) for number in range(size))

    @property
    def running(self) -> int:
        """Processes that take connections."""
        value: int = self._numbers[0]
        return value

    @running.setter
    def running(self, value: int) -> None:
        self._numbers[0] = value
