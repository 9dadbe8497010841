"""A proxy with few file descriptors accepts fewer users and sessions, and ends none of the existing sessions."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from postern.proxies.core.limits import Limits, share_of_files
from postern.proxies.ssh.limits import SshLimits
from proxies.ssh.test_ssh_process import ProxyProcess, proxy_process

__all__ = ["proxy_process"]

FEW = 128
CLIENTS = 60


async def test_sessions_beyond_the_open_files_are_refused_and_end_no_other(proxy_process: ProxyProcess) -> None:
    await proxy_process.stop()
    await proxy_process.start(open_files=FEW)
    plane = proxy_process.plane
    async with contextlib.AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(cat(proxy_process)) for _ in range(CLIENTS)]
        answers = await asyncio.gather(*(echo(client, b"first") for client in clients))
        live = [client for client, answer in zip(clients, answers, strict=True) if answer == b"first\n"]
        assert 10 < len(live) < CLIENTS
        for _ in range(FEW):  # a mere connection takes a file as well
            _reader, writer = await asyncio.open_connection("127.0.0.1", proxy_process.port)
            stack.callback(writer.close)
        beats = len(plane.heartbeats)
        await plane.until(lambda: len(plane.heartbeats) >= beats + 2)
        assert plane.heartbeats[-1].draining is False
        assert [await echo(client, b"second") for client in live] == [b"second\n"] * len(live)
    await plane.until(lambda: not plane.heartbeats[-1].sessions)
    async with cat(proxy_process) as client:
        assert await echo(client, b"third") == b"third\n", "there is room again"


@contextlib.asynccontextmanager
async def cat(running: ProxyProcess) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start `cat` on the target."""
    process = await asyncio.create_subprocess_exec(
        *running.ssh("cat"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def echo(client: asyncio.subprocess.Process, line: bytes) -> bytes:
    """Return the echo, or nothing for a client that was refused."""
    assert client.stdin is not None
    assert client.stdout is not None
    with contextlib.suppress(OSError):
        client.stdin.write(line + b"\n")
        await client.stdin.drain()
    async with asyncio.timeout(90):
        return await client.stdout.readline()


def test_limits_reserve_files_for_everything_besides_users() -> None:
    """A connection takes one file. A session in a browser takes two: its link and its target."""
    for open_files in (64, 128, 1024, 4096, 5000):
        share = share_of_files(open_files, Limits(), SshLimits())
        limits, ssh = Limits().with_share_of_files(share), SshLimits().with_share_of_files(share)
        assert ssh.connections_total + 2 * limits.sessions <= open_files - min(256, open_files // 2)
        assert min(ssh.connections_total, limits.sessions) > open_files // 8
    assert share_of_files(65536, Limits(), SshLimits()) == 1
