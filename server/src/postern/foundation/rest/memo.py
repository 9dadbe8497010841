"""What this process remembers of earlier requests: bounded, the least used goes first.

An entry stands under a key that names everything it depends on (K24): who may, in which organization, which version of the
rows. So nothing needs to be thrown away when something changes; the old entry is just not asked for any more.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

_Value = TypeVar("_Value")
_memos: list["Memo[object]"] = []


class Memo(Generic[_Value]):
    """At most `size` entries."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[Hashable, _Value] = OrderedDict()
        self._lock = threading.Lock()
        _memos.append(self)  # type: ignore[arg-type]  # only emptied through this list

    def find(self, key: Hashable) -> _Value | None:
        """What is kept under `key`."""
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                self._entries.move_to_end(key)
            return found

    def keep(self, key: Hashable, value: _Value) -> None:
        """Keep `value`."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)

    def forget(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._entries.clear()


def forget_all() -> None:
    """Empty every memo: for tests, whose databases start anew under the same versions."""
    for memo in _memos:
        memo.forget()
