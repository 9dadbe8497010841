"""Peers that do not keep up, send far too much, or stop: memory stays bounded, nothing is lost, others are
unaffected.
"""

import asyncio
import hashlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from fakes.control_plane import FakeAsset, FakeSystemUser
from peers.odd_target import OddTarget, flood, wait_for_end
from peers.ssh_proxy import SshProxy, World, run
from peers.terminal import Terminal
from postern.contracts.enums import Actions
from postern.proxies.ssh import sftp_packets as sftp
from proxies.ssh.sftp_bytes import packet
from timing import soon_async

MIB = 1024 * 1024
WINDOW_BYTES = 2 * MIB  # of each channel to a user


@pytest.fixture(params=[True, False], ids=["fast", "stock"])
def fast(request: pytest.FixtureRequest) -> bool:
    """Everything here must hold with the fast data path and with the library's own."""
    return bool(request.param)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def connect(world: World, login: str = "", **options: Any) -> Any:
    return asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=login or world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None, **options,
    )  # fmt: skip


def held(proxy: SshProxy) -> int:
    """Return the bytes that the front buffers for its users: in channels and in socket buffers."""
    total = 0
    for link in proxy.listener._links:
        if link._transport is not None:
            total += link._transport.get_write_buffer_size()
        total += sum(channel._send_buf_len for channel in link._channels.values())
    return total


async def test_client_with_a_huge_window_that_stops_reading_uses_bounded_memory(world: World) -> None:
    """The transport's back-pressure reaches the target, although the channel's window would allow a gigabyte."""
    size = 60 * MIB
    async with connect(world) as connection:
        process = await connection.create_process(
            f"head -c {size} /dev/zero", encoding=None, window=1 << 30, max_pktsize=32768
        )
        connection._transport.pause_reading()
        await asyncio.sleep(1.5)
        session = next(iter(world.proxy.registry._sessions.values()))
        assert held(world.proxy) < 4 * MIB
        assert session.bytes_out < 12 * MIB  # what fits into socket buffers on the way
        connection._transport.resume_reading()
        data = await asyncio.wait_for(process.stdout.read(), 200)
        assert len(data) == size
        assert not data.strip(b"\0")


async def standstill(count: Callable[[], int]) -> None:
    """Wait until a number stops growing, after buffered data has passed."""
    async with asyncio.timeout(60):
        while True:
            before = count()
            await asyncio.sleep(1)
            if count() == before:
                return


async def test_stopped_ssh_client_pauses_the_target(world: World) -> None:
    async with OddTarget(flood) as target:
        world.plane.add_asset(
            FakeAsset("flood", "127.0.0.1", target.port, [FakeSystemUser("f", "root", password=target.password)])
        )
        async with Terminal(world.proxy.ssh("alice@f@flood", options=("-tt",))) as terminal:
            await terminal.expect("y{10000}")
            assert terminal.process is not None
            terminal.process.send_signal(signal.SIGSTOP)
            session = next(iter(world.proxy.registry._sessions.values()))
            await standstill(lambda: session.bytes_out)
            assert held(world.proxy) < 4 * MIB
            terminal.process.send_signal(signal.SIGCONT)


async def test_target_that_stops_reading_pauses_the_user(world: World) -> None:
    """200 MB pasted into a program that reads nothing."""
    pasted = 0

    async def reads_nothing(process: asyncssh.SSHServerProcess[bytes]) -> None:
        process.channel.pause_reading()
        await asyncio.sleep(600)

    async with OddTarget(reads_nothing) as target:
        world.plane.add_asset(
            FakeAsset("deaf", "127.0.0.1", target.port, [FakeSystemUser("d", "root", password=target.password)])
        )
        async with connect(world, "alice@d@deaf") as connection:
            process = await connection.create_process(encoding=None, term_type="xterm")

            async def paste() -> None:
                nonlocal pasted
                for _ in range(200):
                    process.stdin.write(b"x" * MIB)
                    pasted += 1
                    await process.stdin.drain()

            with pytest.raises(TimeoutError):
                await asyncio.wait_for(paste(), 2)
            assert pasted < 20
            assert held(world.proxy) < 4 * MIB


def waiting(proxy: SshProxy) -> int:
    """Return the bytes that users have sent and the front has not read from their channels."""
    channels = [channel for link in proxy.listener._links for channel in link._channels.values()]
    return sum(len(piece) for channel in channels for piece, _datatype in channel._recv_buf)


async def test_user_sends_at_most_one_window_ahead_of_a_slow_target(world: World) -> None:
    """When the target accepts a little, the user must not be granted a whole new window."""
    # The program ends with its input. The last byte that arrived proves that there was input.
    slow = 'while [ "$(dd bs=64k count=4 iflag=fullblock 2>/dev/null | tail -c 1)" ]; do sleep 0.02; done'
    highest = 0
    async with connect(world) as connection:
        process = await connection.create_process(slow, encoding=None)
        for _ in range(300):
            process.stdin.write(b"x" * (128 * 1024))
            await process.stdin.drain()
            highest = max(highest, waiting(world.proxy))
        assert highest <= WINDOW_BYTES
        connection.abort()


async def test_paste_of_200_mb_arrives_completely(world: World) -> None:
    block = os.urandom(MIB)
    digest = hashlib.sha256()
    for _ in range(200):
        digest.update(block)
    process = await asyncio.create_subprocess_exec(
        *world.proxy.ssh(world.login, "sha256sum"), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for _ in range(200):
        process.stdin.write(block)
        await process.stdin.drain()
    process.stdin.close()
    async with asyncio.timeout(250):
        output = await process.stdout.read()
        await process.wait()

    assert output.split()[0].decode() == digest.hexdigest()


async def test_other_sessions_stay_responsive_during_a_flood(world: World) -> None:
    async with OddTarget(flood) as target:
        world.plane.add_asset(
            FakeAsset("flood", "127.0.0.1", target.port, [FakeSystemUser("f", "root", password=target.password)])
        )
        async with (
            Terminal(world.proxy.ssh("alice@f@flood", options=("-tt",))) as loud,
            Terminal(world.proxy.ssh(world.login, options=("-tt",))) as quiet,
        ):
            await loud.expect("y{1000}")
            await quiet.expect(r"[#$] ")
            number = 1000

            async def answered() -> float:
                nonlocal number
                number += 1
                begun = time.monotonic()
                await quiet.type(f"echo n$(({number}+0))\n")
                await quiet.expect(f"n{number}")
                return time.monotonic() - begun

            for _ in range(5):
                await soon_async(answered, 1)


async def test_refusals_to_an_sftp_client_that_never_reads_do_not_pile_up(world: World) -> None:
    """The inspector's own answers are subject to the same back-pressure as those of the target."""
    world.asset.actions = Actions.CONNECT | Actions.DOWNLOAD_FILE
    write = packet(sftp.WRITE, 7, b"h", 0, 0, b"x" * 10)
    async with connect(world) as connection:
        process = await connection.create_process(subsystem="sftp", encoding=None, window=1 << 30)
        process.stdin.write(packet(sftp.INIT, 3))
        await process.stdout.readexactly(9)
        connection._transport.pause_reading()
        session = next(iter(world.proxy.registry._sessions.values()))

        async def send_for_ever() -> None:
            while True:
                process.stdin.write(write * 1000)
                await process.stdin.drain()

        sending = asyncio.create_task(send_for_ever())
        await standstill(lambda: session.bytes_in)
        assert held(world.proxy) < 4 * MIB
        taken = session.bytes_in
        connection._transport.resume_reading()
        await process.stdout.readexactly(64 * 1024)
        await world.plane.until(lambda: session.bytes_in > taken)
        sending.cancel()
        connection.abort()


async def test_stalled_key_exchange_does_not_pile_up_output(world: World) -> None:
    """If a client starts a key exchange and never finishes it, the proxy must not buffer the target's output."""
    async with OddTarget(flood) as target:
        world.plane.add_asset(
            FakeAsset("flood", "127.0.0.1", target.port, [FakeSystemUser("f", "root", password=target.password)])
        )
        async with connect(world, "alice@f@flood") as connection:
            process = await connection.create_process(encoding=None, window=1 << 30)
            await process.stdout.readexactly(100_000)
            link = next(iter(world.proxy.listener._links))
            link._kex_complete = False  # as after a KEXINIT of the client that is followed by nothing
            await asyncio.sleep(0.7)
            assert held(world.proxy) < 4 * MIB
            assert sum(len(b"".join(args)) for _, args in link._deferred_packets) < MIB
            connection.abort()


def own_tasks() -> set[str]:
    """Return the names of all tasks except the fake control plane's connections."""
    return {task.get_name() for task in asyncio.all_tasks() if "RequestHandler" not in repr(task)}


async def test_k31_connections_come_and_go_without_leaving_anything(world: World) -> None:
    await run(world.proxy.ssh(world.login, "true"))
    await world.plane.until(lambda: len(world.proxy.listener._links) == len(world.proxy.registry) == 0)
    tasks, files = own_tasks(), open_files()
    for _ in range(5):
        results = await asyncio.gather(*(run(world.proxy.ssh(world.login, "true")) for _ in range(3)))
        assert all(result.status == 0 for result in results)
    await world.plane.until(lambda: world.proxy.listener.admission.connections == 0)
    await world.plane.until(lambda: len(world.proxy.listener._links) == 0)
    await world.plane.until(lambda: len(world.proxy.registry) == 0)
    await world.plane.until(lambda: own_tasks() <= tasks)
    # Connections to the control plane are kept alive.
    await world.plane.until(lambda: open_files() <= files + 8)


async def test_early_input_is_limited_by_the_window(world: World) -> None:
    async with OddTarget(wait_for_end) as target:
        world.plane.add_asset(
            FakeAsset("slow", "127.0.0.1", target.port, [FakeSystemUser("s", "root", password=target.password)])
        )
        world.plane.delay_s = 1.0
        async with connect(world, "alice@s@slow") as connection:
            process = await connection.create_process(encoding=None)
            for _ in range(30):
                process.stdin.write(b"x" * MIB)
            await asyncio.sleep(0.5)
            waiting = [
                sum(len(data) for data, _ in channel._recv_buf)
                for link in world.proxy.listener._links
                for channel in link._channels.values()
            ]
            assert max(waiting) <= 2 * MIB
            connection.abort()
