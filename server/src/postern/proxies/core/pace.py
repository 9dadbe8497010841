"""Fair pacing of actions per source and in total. Actions that come too early wait; none is refused.

Each source occupies one place in the common queue, so a source that floods does not delay the others.
"""

import asyncio
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Final

from postern.kernel.clock import monotonic_s

#: Above this many remembered sources, idle sources are evicted.
_MANY_SOURCES: Final = 8192


@dataclass
class _Queue:
    #: The time at which all earlier turns would be done one after the other.
    spent_until_s: float = 0.0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def be_due(self, interval_s: float, burst_s: float) -> None:
        """Wait until another turn is due. To be called with the lock `turn` held."""
        early_s = self.spent_until_s + interval_s - max(burst_s, interval_s) - monotonic_s()
        if early_s > 0:
            await asyncio.sleep(early_s)

    def spend(self, interval_s: float) -> None:
        self.spent_until_s = max(self.spent_until_s, monotonic_s()) + interval_s


class FairPace:
    """Counts the turns of each source. Runs in the event loop."""

    def __init__(self, *, each_s: Callable[[], float], all_s: Callable[[], float], burst_s: float) -> None:
        """`each_s` and `all_s` return the seconds between two turns of one source and of all sources.

        Turns worth `burst_s` seconds may be taken at once.
        """
        self._each_s = each_s
        self._all_s = all_s
        self._burst_s = burst_s
        self._sources: dict[Hashable, _Queue] = {}
        self._all = _Queue()

    async def turn(self, source: Hashable) -> None:
        """Wait for the next turn of this source, in order of the calls. A cancelled call does not count as a turn."""
        if len(self._sources) >= _MANY_SOURCES:
            self._forget_idle()
        queue = self._sources.setdefault(source, _Queue())
        async with queue.turn:
            await queue.be_due(self._each_s(), self._burst_s)
            async with self._all.turn:
                await self._all.be_due(self._all_s(), self._burst_s)
                self._all.spend(self._all_s())
                queue.spend(self._each_s())

    def _forget_idle(self) -> None:
        now_s = monotonic_s()
        self._sources = {
            source: queue
            for source, queue in self._sources.items()
            if queue.spent_until_s > now_s or queue.turn.locked()
        }
