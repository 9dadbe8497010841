"""The listener: one TCP port. Accepting a socket never waits for a peer."""

import asyncio
import logging
from typing import Final

from asyncssh.connection import SSHServerConnectionOptions

from postern.kernel.errors import SettingsError
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.settings import split_address
from postern.proxies.ssh.admission import Admission
from postern.proxies.ssh.front import FrontChannel, FrontLink
from postern.proxies.ssh.host_key import described, load_host_keys, signers
from postern.proxies.ssh.key_pace import KeyPace
from postern.proxies.ssh.person import Person
from postern.proxies.ssh.settings import SshSettings
from postern.proxies.ssh_connections import algorithms
from postern.proxies.ssh_connections.fast_transport import FastChannel, FastConnection, FastTunnelChannel

log = logging.getLogger(__name__)

_BACKLOG: Final = 1024
_VERSION: Final = "Postern"
_KEEPALIVE_S: Final = 60
_KEEPALIVE_COUNT: Final = 10


class FastFrontChannel(FastChannel, FrontChannel):
    """A user's channel with the fast data path."""


class FastFrontLink(FastConnection, FrontLink):
    """A user's connection with the fast data path."""

    channel_type = FastFrontChannel
    forward_type = FastTunnelChannel


class SshListener:
    """Accepts users' SSH connections."""

    def __init__(self, settings: SshSettings, services: CoreServices, *, fast: bool = False) -> None:
        """`fast` enables the fast data path, which `fast_path_works` has tested."""
        limits = self._limits = settings.limits
        self._link = FastFrontLink if fast else FrontLink
        try:
            self._host, self._port = split_address(settings.address)
        except ValueError as error:
            raise SettingsError(str(error)) from error
        self.host_keys = load_host_keys(settings.host_key_dir)
        self.admission = Admission(limits)
        pace = KeyPace(limits)
        self._server: asyncio.Server | None = None
        self._links: set[FrontLink] = set()
        self._options = SSHServerConnectionOptions(
            config=None,
            server_host_keys=signers(self.host_keys),
            server_factory=lambda: Person(services, limits, pace),
            server_version=_VERSION,
            kex_algs=algorithms.KEY_EXCHANGE,
            encryption_algs=algorithms.ENCRYPTION,
            mac_algs=algorithms.MAC,
            compression_algs=("none",),
            signature_algs=algorithms.SIGNATURE,
            gss_host=None,
            x509_trusted_certs=None,
            host_based_auth=False,
            kbdint_auth=True,  # only for codes: see `Person.kbdint_auth_supported`
            allow_pty=True,
            line_editor=False,
            x11_forwarding=False,
            agent_forwarding=False,
            allow_scp=False,
            encoding=None,
            login_timeout=limits.login_timeout_s,
            keepalive_interval=_KEEPALIVE_S,
            keepalive_count_max=_KEEPALIVE_COUNT,
        )

    @property
    def port(self) -> int:
        """The port in use: the actual port if the setting is 0."""
        return self._port

    async def start(self) -> None:
        """Start listening. Raises `SettingsError` if the address cannot be used."""
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(
                self._new_link, self._host, self._port, backlog=_BACKLOG, reuse_address=True
            )
        except OSError as error:
            raise SettingsError(f"cannot listen on {self._host}:{self._port}: {error.strerror or error}") from error
        self._port = int(self._server.sockets[0].getsockname()[1])
        log.info("ssh on %s:%d, host keys %s", self._host, self._port, ", ".join(map(described, self.host_keys)))

    def _new_link(self) -> FrontLink:
        link = self._link(asyncio.get_running_loop(), self._options)
        link.admission = self.admission
        link.limits = self._limits
        link.on_gone = self._links.discard
        self._links.add(link)
        return link

    def close(self) -> None:
        """Accept no new connections. Existing connections stay."""
        self.admission.closed = True
        if self._server is not None:
            self._server.close()
            self._server = None

    async def stop(self) -> None:
        """Close the remaining connections."""
        self.close()
        links = list(self._links)
        for link in links:
            link.close()
        await asyncio.gather(*(link.wait_closed() for link in links), return_exceptions=True)
