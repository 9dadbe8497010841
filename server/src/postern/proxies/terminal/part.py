"""The endpoint of browser terminals, for the composition root."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Self

from postern.proxies.core.control.announcement import Announcement
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.parts.part import Part
from postern.proxies.core.settings import split_address
from postern.proxies.terminal.limits import TerminalLimits
from postern.proxies.terminal.listening import UNIX
from postern.proxies.terminal.server import StreamServer


@dataclass(frozen=True)
class TerminalFront:
    """Implements `core.parts.part.Front`. `address` is where the web plane reaches the endpoint: `unix:/path` or
    `host:port`.
    """

    address: str
    limits: TerminalLimits = field(default_factory=TerminalLimits)

    def with_share_of_files(self, share: Fraction) -> Self:
        return replace(self, limits=self.limits.with_share_of_files(share))

    def addresses(self) -> tuple[tuple[str, int], ...]:
        """Return the listening address if other machines could reach it."""
        return () if self.address.startswith(UNIX) else (split_address(self.address),)

    async def part(self, services: CoreServices) -> Part:
        server = StreamServer(self.address, services, self.limits)
        return Part(
            name="browser terminals",
            start=server.start,
            stop=server.stop,
            addresses=self.addresses,
            announces=lambda: Announcement(stream_address=self.address),
        )
