"""A host that connects after the user's side has given up."""

import asyncio
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import asyncssh

from peers.odd_target import OddTarget, say_hello
from postern.proxies.core.sessions.session_log import BegunForward
from postern.proxies.ssh.forwards.pipe import Pipe
from postern.proxies.ssh.forwards.places import Place
from postern.proxies.ssh.target import TargetConnection
from postern.proxies.ssh_connections.transport import PacedClientChannel


class _Slow(asyncssh.SSHTCPSession[bytes]):
    """The host's side of a connection that it makes late."""

    def __init__(self) -> None:
        self.asked, self.go, self.closed = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def connected(self) -> asyncssh.SSHTCPSession[bytes]:
        self.asked.set()
        await self.go.wait()
        return self

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()


async def test_host_that_connects_too_late_is_hung_up_on() -> None:
    slow = _Slow()
    ends: list[str] = []
    log = SimpleNamespace(end_forward=lambda _begun, *, reason, **_counts: ends.append(reason))
    session: Any = SimpleNamespace(log=log, end_reason=None, lock=SimpleNamespace(is_on=False))
    async with OddTarget(say_hello) as target:
        target.answers_itself = slow.connected
        link: Any = await asyncssh.connect(
            "127.0.0.1", target.port, username="root", password=target.password, known_hosts=None, config=None
        )
        async with link:
            pipe = Pipe(session, BegunForward(uuid4(), 0), on_gone=lambda _pipe: None)
            connection = TargetConnection(link, "", PacedClientChannel)
            opening = asyncio.create_task(connection.forward(Place(port=5000), pipe.host, window=65536))
            await slow.asked.wait()
            opening.cancel()
            pipe.cut("the host did not connect")
            slow.go.set()
            await asyncio.wait_for(slow.closed.wait(), 20)
    assert ends == ["the host did not connect"]
