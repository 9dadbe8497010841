"""How fast public keys are looked up, of one address and of all. Each key that is shown costs a request to the control plane.

Showing a key proves nothing and costs a stranger nothing, so it is no reason for a refusal either: beyond the limit keys wait
their turn. Few wait at a time, because one connection shows one key after the other and connections that sign in are
bounded for each address (`admission`). All addresses together stay below what the control plane answers one proxy within a minute.
"""

from typing import Final

from postern.kernel.addresses import address_key
from postern.proxies.core.pace import FairPace
from postern.proxies.ssh.limits import SshLimits

#: Keys of so many seconds are looked up at once: many connections with full agents, as CI makes them.
_BURST_S: Final = 10.0


class KeyPace:
    """Counts the keys that each address shows. Runs in the event loop."""

    def __init__(self, limits: SshLimits) -> None:
        self._pace = FairPace(
            each_s=lambda: 1 / limits.keys_per_source_per_s, all_s=lambda: 1 / limits.keys_per_s, burst_s=_BURST_S
        )

    async def turn(self, address: str) -> None:
        """Wait until a key of this address may be looked up: in the order of asking. Who gives up costs nothing."""
        await self._pace.turn(address_key(address))
