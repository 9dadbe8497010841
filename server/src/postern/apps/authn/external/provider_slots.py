"""Limits the sign-ins of this process that wait for providers at the same time. Each blocks a thread that other
requests need.

A provider that hangs can use only its own slots, so that users of other providers can still sign in.
"""

import threading
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Final


class ProviderBusy(Exception):
    """No slot became free in time."""


class ProviderSlots:
    """Slots to wait for a provider: at most `max_total`, and at most `max_per_provider` for each provider."""

    def __init__(self, *, max_total: int, max_per_provider: int, max_wait_s: float) -> None:
        self._max_total = max_total
        self._max_per_provider = max_per_provider
        self._max_wait_s = max_wait_s
        self._used: Counter[Hashable] = Counter()
        self._changed = threading.Condition()

    @contextmanager
    def slot(self, provider: Hashable) -> Iterator[None]:
        """Occupy a slot during the block, which may wait for the provider. Raises ProviderBusy."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._is_free(provider), self._max_wait_s):
                raise ProviderBusy
            self._used[provider] += 1
        try:
            yield
        finally:
            with self._changed:
                self._used[provider] -= 1
                if not self._used[provider]:
                    del self._used[provider]
                self._changed.notify_all()

    def used(self, provider: Hashable) -> int:
        """The number of occupied slots of this provider."""
        with self._changed:
            return self._used[provider]

    def _is_free(self, provider: Hashable) -> bool:
        return self._used.total() < self._max_total and self._used[provider] < self._max_per_provider


#: One hanging provider leaves one slot to the others.
SLOTS: Final = ProviderSlots(max_total=3, max_per_provider=2, max_wait_s=2.0)
