"""Bounded in-process caches with least-recently-used eviction.

The key of an entry names everything that the entry depends on: the caller's rights, the organization, the version of
the rows (K24: cached answers never cross persons, roles or organizations). Entries therefore need no invalidation: a
change leads to a new key, and the stale entry is evicted later.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

_Value = TypeVar("_Value")
_memos: list["Memo[object]"] = []


class Memo(Generic[_Value]):
    """A cache of at most `size` entries."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[Hashable, _Value] = OrderedDict()
        self._lock = threading.Lock()
        _memos.append(self)  # type: ignore[arg-type]  # only emptied through this list

    def find(self, key: Hashable) -> _Value | None:
        """The value cached under `key`, or None."""
        with self._lock:
            value = self._entries.get(key)
            if value is not None:
                self._entries.move_to_end(key)
            return value

    def keep(self, key: Hashable, value: _Value) -> None:
        """Cache `value`."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)

    def values(self) -> list[_Value]:
        """All values."""
        with self._lock:
            return list(self._entries.values())

    def drop(self, key: Hashable) -> None:
        """Remove one entry."""
        with self._lock:
            self._entries.pop(key, None)

    def forget(self) -> None:
        """Remove all entries."""
        with self._lock:
            self._entries.clear()


def forget_all() -> None:
    """Clear every cache. For tests: each test database starts again with the same versions."""
    for memo in _memos:
        memo.forget()
