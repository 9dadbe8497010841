"""Self-test of the fast data path at start: one exchange within this process, before any connection uses it."""

import asyncio
import hashlib
import logging
import os
import socket
from typing import Any, Final

import asyncssh
from asyncssh.connection import (
    SSHClientConnection,
    SSHClientConnectionOptions,
    SSHServerConnection,
    SSHServerConnectionOptions,
)

from postern.proxies.ssh_connections.fast_transport import FastChannel, FastClientChannel, FastConnection
from postern.proxies.ssh_connections.transport import PacedServerChannel

log = logging.getLogger(__name__)

_VERSION: Final = "2.24."


class _EchoChannel(FastChannel, PacedServerChannel):
    """The server side of the self-test."""


class _TestServer(FastConnection, SSHServerConnection):
    """A server connection with the fast path."""


class _TestClient(FastConnection, SSHClientConnection):
    """A client connection with the fast path."""


class _Echo(asyncssh.SSHServerSession[bytes]):
    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        self._chan = chan

    def exec_requested(self, command: str) -> bool:  # noqa: ARG002 - the library calls it so
        return True

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:  # noqa: ARG002 - as above
        self._chan.write(data)

    def eof_received(self) -> bool:
        self._chan.exit(7)
        return True


class _Owner(asyncssh.SSHServer):
    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._conn: Any = conn

    def begin_auth(self, username: str) -> bool:  # noqa: ARG002 - as above
        return False

    def session_requested(self) -> Any:
        conn = self._conn
        return _EchoChannel(
            conn, asyncio.get_running_loop(), True, False, False, 0, 0, None, "strict", 1 << 20, 32768
        ), _Echo()


class _Collect(asyncssh.SSHClientSession[bytes]):
    def __init__(self) -> None:
        self.received = bytearray()
        self.status: int | None = None
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:  # noqa: ARG002 - as above
        self.received += data

    def exit_status_received(self, status: int) -> None:
        self.status = status

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - as above
        if not self.closed.done():
            self.closed.set_result(None)


async def fast_path_works(*, timeout_s: float = 10.0) -> bool:
    """Test the fast path once in this process: key exchange, bulk data both ways, new keys, exit status.

    Returns False if the library has another version than expected, or if anything differs. The library's slower data
    path is used then.
    """
    if not asyncssh.__version__.startswith(_VERSION):
        log.warning("asyncssh %s is not %sx: using its own data path", asyncssh.__version__, _VERSION)
        return False
    try:
        async with asyncio.timeout(timeout_s):
            await _try_it()
    except Exception:  # whatever fails, the library's own data path is available
        log.exception("the fast data path failed its self-test: using the library's own")
        return False
    return True


async def _try_it() -> None:
    loop = asyncio.get_running_loop()
    near, far = socket.socketpair()
    near.setblocking(False)
    far.setblocking(False)
    shared: dict[str, Any] = {
        "config": None,
        "encryption_algs": ["aes128-gcm@openssh.com"],
        "compression_algs": ["none"],
        "gss_host": None,
        "rekey_bytes": 200_000,
    }
    key = asyncssh.generate_private_key("ssh-ed25519")
    server_options = SSHServerConnectionOptions(server_host_keys=[key], server_factory=_Owner, encoding=None, **shared)
    client_options = SSHClientConnectionOptions(
        known_hosts=([key.convert_to_public()], [], []),
        username="self-test",
        client_keys=None,
        agent_path=None,
        host="self",
        **shared,
    )
    client_options.waiter = loop.create_future()
    _, server = await loop.create_connection(lambda: _TestServer(loop, server_options), sock=far)
    _, client = await loop.create_connection(lambda: _TestClient(loop, client_options, wait="auth"), sock=near)
    try:
        await client_options.waiter
        session = _Collect()
        channel = FastClientChannel(client, loop, "replace", None, "strict", 1 << 20, 32768)
        await channel.create(lambda: session, "echo", None, {}, False, None, None, {}, False, None, None, False, False)
        sent = hashlib.sha256()
        for size in (1, 100_000, 4096, 32768, 32769, 300_000, 3):
            piece = os.urandom(size)
            sent.update(piece)
            channel.write(piece)
            await asyncio.sleep(0)
        channel.write_eof()
        await session.closed
        if hashlib.sha256(session.received).digest() != sent.digest() or session.status != 7:
            raise asyncssh.ProtocolError("the data came back changed")
        if not client.is_fast or not server.is_fast:
            raise asyncssh.ProtocolError("the fast path was not taken")
    finally:
        client.abort()
        server.abort()
