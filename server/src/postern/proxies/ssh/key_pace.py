"""The pace of public key look-ups, per address and in total.

Each offered key costs a request to the control plane. Offering a key proves nothing and costs a stranger nothing, so it
is no reason for a refusal either: beyond the limit keys wait their turn. Few keys wait at a time, because a connection
offers its keys one after another, and connections that sign in are bounded per address (`admission`). All addresses
together stay below what the control plane answers one proxy within a minute.
"""

from typing import Final

from postern.kernel.addresses import address_key
from postern.proxies.core.pace import FairPace
from postern.proxies.ssh.limits import SshLimits

#: Keys for this many seconds may be looked up at once. CI systems open many connections with full agents.
_BURST_S: Final = 10.0


class KeyPace:
    """Paces the look-ups of keys that each address offers. Runs in the event loop."""

    def __init__(self, limits: SshLimits) -> None:
        self._pace = FairPace(
            each_s=lambda: 1 / limits.keys_per_source_per_s, all_s=lambda: 1 / limits.keys_per_s, burst_s=_BURST_S
        )

    async def turn(self, address: str) -> None:
        """Wait until a key of this address may be looked up, in order of the calls. A cancelled call does not count."""
        await self._pace.turn(address_key(address))
