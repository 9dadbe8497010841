"""A web process: uvicorn on connections that the parent accepts and passes on.

When the parent closes the channel, the process leaves. It takes no new connections, answers requests on open
connections with `Connection: close`, and ends when the connections are closed. Idle connections stay open for their
usual time, because a request may be in transit. SIGTERM ends the process sooner.
"""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

import uvicorn

from postern.contracts.access import WEB_KEEPS_IDLE_S
from postern.entrypoints.web.options import OPTIONS
from postern.entrypoints.web.table import Row
from postern.kernel.clock import monotonic_ms, monotonic_s

log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

READY: Final = b"r"
ALIVE_INTERVAL_S: Final = 1.0
#: Maximum time for requests, including downloads, that are still running when the process leaves.
LEAVE_S: Final = WEB_KEEPS_IDLE_S + 5.0
_LEAVE_POLL_S: Final = 0.1
#: Connections taken over in one iteration of the event loop.
_MOST_IN_A_TURN: Final = 16


class WebProcess(uvicorn.Server):
    """Serves connections from `channel` and reports its numbers in `row`."""

    def __init__(self, application: Application, channel: socket.socket, row: Row) -> None:
        self._counted = CountedRequests(application, row)
        super().__init__(uvicorn.Config(self._counted, **OPTIONS))
        self._channel = channel
        self._row = row
        self._background: set[asyncio.Task[Any]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start without a listening socket."""
        del sockets
        self.server_state.connections = CountedConnections(self._row, self.config.http_protocol_class)
        await super().startup(sockets=[])
        loop = asyncio.get_running_loop()
        self._run_beside(self._show_life())
        loop.add_reader(self._channel, self._take_over)
        with contextlib.suppress(OSError):  # the parent has died: the closed channel ends this process
            self._channel.send(READY)

    def _take_over(self) -> None:
        for _ in range(_MOST_IN_A_TURN):
            try:
                data, descriptors, _flags, _address = socket.recv_fds(self._channel, 1, 1)
            except BlockingIOError:
                return
            except OSError:
                data, descriptors = b"", []
            if not data:
                self._leave()
                return
            if not descriptors:  # the limit of open files is reached, so the kernel closed the connection
                log.warning("a connection was lost: no file descriptor is left for it")
                self._row.taken += 1
            for descriptor in descriptors:
                self._run_beside(self._carry(socket.socket(fileno=descriptor)))

    async def _carry(self, connection: socket.socket) -> None:
        """Hand a received connection to uvicorn. Errors affect this connection only."""
        before = self._row.taken
        try:
            connection.setblocking(False)
            await asyncio.get_running_loop().connect_accepted_socket(self._protocol, connection)
        except OSError as error:  # the client disconnected already
            log.debug("a connection could not be taken over: %s", error)
            if self._row.taken == before:
                self._row.taken += 1
            connection.close()

    def _protocol(self) -> asyncio.Protocol:
        protocol: asyncio.Protocol = self.config.http_protocol_class(  # type: ignore[call-arg]  # as uvicorn itself makes them
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return protocol

    def _leave(self) -> None:
        asyncio.get_running_loop().remove_reader(self._channel)
        self._counted.are_the_last = True
        self._run_beside(self._end_when_idle())

    async def _end_when_idle(self) -> None:
        deadline_s = monotonic_s() + LEAVE_S
        await asyncio.sleep(_LEAVE_POLL_S)  # lets uvicorn register connections that have just been taken over
        while self._row.connections and monotonic_s() < deadline_s:  # noqa: ASYNC110 - counted by uvicorn's connections
            await asyncio.sleep(_LEAVE_POLL_S)
        self.should_exit = True

    async def _show_life(self) -> None:
        while True:
            self._row.alive_ms = monotonic_ms()
            await asyncio.sleep(ALIVE_INTERVAL_S)

    def _run_beside(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


class CountedRequests:
    """ASGI middleware that counts running requests. While the process leaves, every answer closes its connection."""

    def __init__(self, application: Application, row: Row) -> None:
        self._application = application
        self._row = row
        self.are_the_last = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        self._row.requests += 1
        try:
            await self._application(scope, receive, self._closing(send) if self.are_the_last else send)
        finally:
            self._row.requests -= 1

    @staticmethod
    def _closing(send: Send) -> Send:
        async def send_last(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
            await send(message)

        return send_last


class CountedConnections(set[Any]):
    """uvicorn's set of open connections, which also counts the connections of each kind."""

    def __init__(self, row: Row, for_requests: Any) -> None:
        super().__init__()
        self._row = row
        self._for_requests = for_requests

    def add(self, connection: Any) -> None:
        if connection in self:
            return
        super().add(connection)
        if isinstance(connection, self._for_requests):
            self._row.taken += 1  # every connection begins with a request
            self._row.connections += 1
        else:
            self._row.websockets += 1

    def discard(self, connection: Any) -> None:
        if connection not in self:
            return
        super().discard(connection)
        if isinstance(connection, self._for_requests):
            self._row.connections -= 1
        else:
            self._row.websockets -= 1

    def remove(self, connection: Any) -> None:
        if connection not in self:
            raise KeyError(connection)
        self.discard(connection)
