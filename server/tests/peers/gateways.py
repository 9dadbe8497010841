"""Real SSH gateways: sshds that forward connections, and peers that answer nothing."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

from fakes.control_plane import FakeGateway
from peers.sshd import Sshd


def gateway_of(name: str, server: Sshd, *, private_key: str | None = None, password: str = "") -> FakeGateway:
    """The gateway as the control plane knows it, with the key of the server unless another secret is given."""
    key = server.client_key.read_text() if private_key is None else private_key
    return FakeGateway(name, "127.0.0.1", server.port, server.login, password=password, private_key=key)


def processes_of(server: Sshd) -> list[int]:
    """The server's process and those of its connections."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(folder.name))
    found = [server.pid] if server.pid is not None else []
    for process in found:
        found += children.get(process, [])
    return found


def send_signal(server: Sshd, number: signal.Signals) -> None:
    """Send a signal to the server and to the processes of its connections."""
    for process in processes_of(server):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


def open_sockets() -> int:
    """The number of sockets that this process has open."""
    found = 0
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found += entry.readlink().name.startswith("socket:")
    return found


@contextlib.asynccontextmanager
async def silent_port() -> AsyncIterator[int]:
    """A port that accepts connections and sends nothing."""
    writers: list[asyncio.StreamWriter] = []

    async def keep(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)

    server = await asyncio.start_server(keep, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for writer in writers:
            writer.close()
