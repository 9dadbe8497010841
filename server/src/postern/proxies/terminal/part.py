"""The endpoints of browser terminals and of the file manager, for the composition root."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Self

from postern.kernel.errors import SettingsError
from postern.proxies.core.control.announcement import Announcement
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.parts.part import Part
from postern.proxies.core.settings import split_address
from postern.proxies.terminal.files.file_browser import FileBrowser
from postern.proxies.terminal.files.file_sessions import FileSessions
from postern.proxies.terminal.files.server import FilesServer
from postern.proxies.terminal.limits import TerminalLimits
from postern.proxies.terminal.listening import UNIX
from postern.proxies.terminal.server import StreamServer


@dataclass(frozen=True)
class TerminalFront:
    """Implements `core.parts.part.Front`. `address` is where the web plane reaches the endpoint of websockets, and
    `files_address` that of files: `unix:/path` or `host:port`; "" if this proxy serves no files.
    """

    address: str
    files_address: str = ""
    limits: TerminalLimits = field(default_factory=TerminalLimits)

    def with_share_of_files(self, share: Fraction) -> Self:
        return replace(self, limits=self.limits.with_share_of_files(share))

    def addresses(self) -> tuple[tuple[str, int], ...]:
        """Return the listening addresses that other machines could reach."""
        both = (self.address, self.files_address)
        return tuple(split_address(address) for address in both if address and not address.startswith(UNIX))

    async def part(self, services: CoreServices) -> Part:
        sessions = FileSessions[FileBrowser]()
        stream = StreamServer(self.address, services, self.limits, sessions if self.files_address else None)
        files = FilesServer(self.files_address, sessions, services.web_plane, self.limits)

        async def start() -> None:
            await stream.start()
            try:
                await files.start()
            except SettingsError:
                await stream.stop()
                raise

        async def stop() -> None:
            await stream.stop()
            await files.stop()

        return Part(
            name="browser terminals and files",
            start=start,
            stop=stop,
            addresses=self.addresses,
            announces=lambda: Announcement(stream_address=self.address, files_address=self.files_address),
        )
