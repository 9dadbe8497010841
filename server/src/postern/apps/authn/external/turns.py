"""How many sign-ins of this process wait for providers at the same time. Each keeps a thread that other requests need.

A provider that hangs keeps its own turns and no more, so that people of the others still sign in.
"""

import threading
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Final


class TooManyWait(Exception):
    """No turn became free in time."""


class Turns:
    """Turns to wait for a provider: at most `at_once`, and at most `of_one` for each provider."""

    def __init__(self, *, at_once: int, of_one: int, patience_s: float) -> None:
        self._at_once = at_once
        self._of_one = of_one
        self._patience_s = patience_s
        self._taken: Counter[Hashable] = Counter()
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, provider: Hashable) -> Iterator[None]:
        """The block may wait for the provider. Raises TooManyWait."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._is_free(provider), self._patience_s):
                raise TooManyWait
            self._taken[provider] += 1
        try:
            yield
        finally:
            with self._changed:
                self._taken[provider] -= 1
                if not self._taken[provider]:
                    del self._taken[provider]
                self._changed.notify_all()

    def taken(self, provider: Hashable) -> int:
        """The turns that wait for this provider now."""
        with self._changed:
            return self._taken[provider]

    def _is_free(self, provider: Hashable) -> bool:
        return self._taken.total() < self._at_once and self._taken[provider] < self._of_one


#: One hanging provider leaves one turn to the others.
TURNS: Final = Turns(at_once=3, of_one=2, patience_s=2.0)
