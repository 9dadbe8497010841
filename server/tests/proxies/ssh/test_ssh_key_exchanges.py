"""Limits on how often a peer may request new keys. Each exchange costs the event loop milliseconds, and the peer
little.
"""

import asyncio

import asyncssh
import pytest

from peers.ssh_proxy import World, run
from postern.kernel.clock import monotonic_s

#: This many are normal. Each further exchange waits a second.
AT_ONCE = 20


def ask(connection: asyncssh.SSHClientConnection) -> None:
    """Request new keys as a client."""
    connection._kexinit_sent = True
    connection._send_kexinit()


async def exchange(connection: asyncssh.SSHClientConnection) -> None:
    ask(connection)
    while not connection._kex_complete:  # noqa: ASYNC110 - the library has no event for it
        await asyncio.sleep(0.005)


class HastyClient(asyncssh.SSHClient):
    """Requests new keys before it has signed in."""

    def __init__(self, world: World) -> None:
        self._key = asyncssh.read_private_key(world.proxy.key)

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:
        self._connection = conn

    def public_key_auth_requested(self) -> asyncssh.SSHKey:
        ask(self._connection)
        return self._key


async def connect(world: World, client: HastyClient | None = None) -> asyncssh.SSHClientConnection:
    return await asyncssh.connect(
        "127.0.0.1",
        world.proxy.port,
        username=world.login,
        client_keys=[str(world.proxy.key)] if client is None else None,
        known_hosts=None,
        agent_path=None,
        config=None,
        client_factory=(lambda: client) if client is not None else None,
    )


async def test_new_keys_before_sign_in_end_the_connection(world: World) -> None:
    async with asyncio.timeout(30):
        with pytest.raises((asyncssh.Error, OSError)):
            await connect(world, HastyClient(world))


async def test_many_key_exchanges_wait_and_delay_nobody_else(world: World) -> None:
    async with asyncio.timeout(60), await connect(world) as connection:
        process = await connection.create_process("cat", encoding=None)
        begun_s = monotonic_s()
        for _ in range(AT_ONCE):
            await exchange(connection)
        waiting = asyncio.create_task(exchange(connection))
        ran = await run(world.proxy.ssh(world.login, "echo", "reached"))
        assert ran.out == b"reached\n"
        await waiting
        await exchange(connection)
        assert monotonic_s() - begun_s >= 1.9, "the two beyond the ordinary ones took a second each"
        process.stdin.write(b"still there\n")
        assert await process.stdout.readline() == b"still there\n"
