"""How fast public keys are looked up, of one address and of all. Each key that is shown costs a request to the control plane.

Showing a key proves nothing and costs a stranger nothing, so it is no reason for a refusal either: beyond the limit keys wait
their turn. Few wait at a time, because one connection shows one key after the other and connections that sign in are
bounded for each address (`admission`). All addresses together stay below what the control plane answers one proxy within a minute;
each has one key in that queue, so that those who flood it do not keep the others waiting.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Final

from postern.kernel.addresses import address_key
from postern.kernel.clock import monotonic_s
from postern.proxies.core.limits import Limits

#: Keys of so many seconds are looked up at once: many connections with full agents, as CI makes them.
_BURST_S: Final = 10.0
#: Above this many remembered sources the idle ones are forgotten.
_MANY_SOURCES: Final = 8192


@dataclass
class _Queue:
    #: When the keys so far would all have been looked up, one after the other.
    spent_until_s: float = 0.0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def be_due(self, interval_s: float) -> None:
        """Wait until one more is not too early. Call with the turn."""
        early_s = self.spent_until_s + interval_s - _BURST_S - monotonic_s()
        if early_s > 0:
            await asyncio.sleep(early_s)

    def spend(self, interval_s: float) -> None:
        self.spent_until_s = max(self.spent_until_s, monotonic_s()) + interval_s


class KeyPace:
    """Counts the keys that each address shows. Runs in the event loop."""

    def __init__(self, limits: Limits) -> None:
        self._interval_s = 1 / limits.keys_per_source_per_s
        self._interval_of_all_s = 1 / limits.keys_per_s
        self._sources: dict[str, _Queue] = {}
        self._all = _Queue()

    async def turn(self, address: str) -> None:
        """Wait until a key of this address may be looked up: in the order of asking. Who gives up costs nothing."""
        if len(self._sources) >= _MANY_SOURCES:
            self._forget_idle()
        source = self._sources.setdefault(address_key(address), _Queue())
        async with source.turn:
            await source.be_due(self._interval_s)
            async with self._all.turn:
                await self._all.be_due(self._interval_of_all_s)
                self._all.spend(self._interval_of_all_s)
                source.spend(self._interval_s)

    def _forget_idle(self) -> None:
        now_s = monotonic_s()
        self._sources = {
            name: source
            for name, source in self._sources.items()
            if source.spent_until_s > now_s or source.turn.locked()
        }
