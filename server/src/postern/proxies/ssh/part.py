"""The SSH front and the connector to SSH targets, for the composition root."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

from postern.contracts.enums import Protocol
from postern.proxies.core.control.announcement import Announcement
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.parts.part import Part
from postern.proxies.core.settings import split_address
from postern.proxies.ssh.files.link import SshTarget
from postern.proxies.ssh.limits import SshLimits
from postern.proxies.ssh.listener import SshListener
from postern.proxies.ssh.settings import SshSettings
from postern.proxies.ssh.target import SshTargets
from postern.proxies.ssh_connections.fast_transport_trial import fast_path_works


@dataclass(frozen=True)
class SshFront:
    """The SSH implementation of `core.parts.part.Front`."""

    settings: SshSettings

    @property
    def limits(self) -> SshLimits:
        return self.settings.limits

    def with_share_of_files(self, share: Fraction) -> Self:
        return replace(self, settings=replace(self.settings, limits=self.limits.with_share_of_files(share)))

    async def part(self, services: CoreServices) -> Part:
        """Create the listener and the connector. Raises `SettingsError` if the address or host keys cannot be used."""
        fast = self.settings.fast_transport and await fast_path_works()
        targets = SshTargets(
            services.plane, services.outbound, services.limits, self.limits, link_type=SshTarget, fast=fast
        )
        services.connectors.add(Protocol.SSH, targets, SshTarget)
        listener = SshListener(self.settings, services, fast=fast)
        return Part(
            name="ssh",
            start=listener.start,
            close=listener.close,
            stop=listener.stop,
            # The actual port, in case the setting leaves it open.
            addresses=lambda: (split_address(self.settings.address), ("localhost", listener.port)),
            announces=lambda: Announcement(ssh_port=listener.port, connections=listener.admission.connections),
        )
