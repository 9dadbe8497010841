"""Targets that choose the group of the key exchange: honest targets are reached, and none blocks the event loop."""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from asyncssh.packet import Byte, MPInt, NameList, UInt32

from fakes.control_plane import FakeAsset, FakeControlPlane, FakeSystemUser
from peers.ssh_proxy import World, make_world, run, ssh_proxy
from peers.sshd import Sshd
from postern.contracts.enums import EndReason
from postern.contracts.events import SessionEnded

GROUP_EXCHANGE = b"diffie-hellman-group-exchange-sha256"
DISCONNECT, KEXINIT, GROUP, INIT = 1, 20, 31, 32
#: The event loop may block this long on a busy machine, but not as long as a primality test.
STILL_S = 5.0


async def test_real_host_with_group_exchange_only_is_reached(tmp_path: Path, control_plane: FakeControlPlane) -> None:
    async with (
        Sshd(tmp_path / "target", extra=f"KexAlgorithms {GROUP_EXCHANGE.decode()}\n") as sshd,
        ssh_proxy(control_plane, tmp_path / "proxy") as proxy,
    ):
        world = make_world(proxy, control_plane, sshd)
        ran = await run(proxy.ssh(world.login, "echo", "reached"))
    assert (ran.status, ran.out) == (0, b"reached\n")


class ChoosingTarget:
    """Runs up to the group that it has chosen. `heard`: type of the next packet; None: the connection ended."""

    def __init__(self, modulus: int, generator: int) -> None:
        self._group = Byte(GROUP) + MPInt(modulus) + MPInt(generator)
        self.heard: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(b"SSH-2.0-Choosing\r\n" + _packet(_offer()))
            await reader.readline()
            await _read(reader)  # its offer
            await _read(reader)  # the sizes it requests
            writer.write(_packet(self._group))
            self.heard.set_result(await _read(reader))
        except (asyncio.IncompleteReadError, ConnectionError):
            self.heard.set_result(None)
        finally:
            writer.close()


def _offer() -> bytes:
    names = [[GROUP_EXCHANGE], [b"ssh-ed25519"], *2 * [[b"aes128-gcm@openssh.com"]], *2 * [[b"hmac-sha2-256"]]]
    return b"".join(
        (Byte(KEXINIT), os.urandom(16), *map(NameList, (*names, [b"none"], [b"none"], [], [])), Byte(0), UInt32(0))
    )


def _packet(payload: bytes) -> bytes:
    padding = 8 - (5 + len(payload)) % 8 + 8
    return UInt32(1 + len(payload) + padding) + Byte(padding) + payload + bytes(padding)


async def _read(reader: asyncio.StreamReader) -> int:
    """Return the type of the next packet."""
    length = int.from_bytes(await reader.readexactly(4), "big")
    return (await reader.readexactly(length))[1]


@contextlib.asynccontextmanager
async def longest_still() -> AsyncIterator[list[float]]:
    """Return the longest time in seconds for which nothing else ran on the event loop."""
    longest = [0.0]

    async def look() -> None:
        before = time.monotonic()
        while True:
            await asyncio.sleep(0.01)
            longest[0], before = max(longest[0], time.monotonic() - before), time.monotonic()

    looking = asyncio.create_task(look())
    try:
        yield longest
    finally:
        looking.cancel()


@pytest.mark.parametrize(
    ("modulus", "generator", "next_packet"),
    [
        pytest.param(2**4423 - 1, 3, INIT, id="prime within the bounds"),
        pytest.param(2**9941 - 1, 3, DISCONNECT, id="prime beyond them"),
        pytest.param(2**1279 - 1, 3, DISCONNECT, id="small prime"),
        pytest.param(2**3000, 3, DISCONNECT, id="even"),
        pytest.param(2**4423 - 1, 1, DISCONNECT, id="generator of nothing"),
        pytest.param(2**4423 - 1, 2**4423 - 2, DISCONNECT, id="generator of two values"),
        pytest.param(2**4423 - 1, 2, DISCONNECT, id="public values that tell their exponent"),
    ],
)
async def test_group_chosen_by_a_target_blocks_nobody_else(
    world: World, modulus: int, generator: int, next_packet: int
) -> None:
    target = ChoosingTarget(modulus, generator)
    async with await asyncio.start_server(target.serve, "127.0.0.1", 0) as server, longest_still() as still:
        system_user = FakeSystemUser("root", "root", password="any")
        port = server.sockets[0].getsockname()[1]
        world.plane.add_asset(FakeAsset("chooser", "127.0.0.1", port, [system_user]))
        ran = await run(world.proxy.ssh("alice@root@chooser", "true"))
        assert await target.heard == next_packet
        await asyncio.sleep(0)
    assert ran.status == 255
    assert b"chooser" in ran.err or b"127.0.0.1" in ran.err
    assert (await world.plane.event(SessionEnded)).reason is EndReason.UNREACHABLE
    assert still[0] < STILL_S
