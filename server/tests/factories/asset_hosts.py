"""SSH servers for tests of the control plane, run by a loop in another thread."""

import asyncio
import threading
from pathlib import Path
from typing import Protocol, TypeVar

from peers.sshd import Sshd


class Server(Protocol):
    """A server that the loop runs."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


ServerT = TypeVar("ServerT", bound=Server)


class Hosts:
    """The servers of one test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._running: list[Server] = []

    def start(self, name: str) -> Sshd:
        """Start a server in a folder of this name."""
        return self.begin(Sshd(self._folder / name))

    def begin(self, server: ServerT) -> ServerT:
        """Start this server."""
        asyncio.run_coroutine_threadsafe(server.start(), self._loop).result(60)
        self._running.append(server)
        return server

    @property
    def folder(self) -> Path:
        """Where the servers keep their files."""
        return self._folder

    def stop(self) -> None:
        """Stop all servers."""
        for server in self._running:
            asyncio.run_coroutine_threadsafe(server.stop(), self._loop).result(60)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
