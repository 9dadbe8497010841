"""Runs the web application in the test process as in production (uvicorn with the same options), and a fake proxy."""

import asyncio
import logging
import socket
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import uvicorn
from django.db import connections
from django.test import Client
from websockets.asyncio.server import ServerConnection, unix_serve

from postern.entrypoints.asgi import application
from postern.entrypoints.web.serve import without_stack_of_bad_text

PASSWORD = "violet anchor seventeen"
SIGN_IN = "/api/v1/authentication/sign-in/"


class LiveServer:
    """A web server that runs from its creation until `stop()`."""

    def __init__(self) -> None:
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            application,
            ws="websockets-sansio",
            ws_max_size=1024 * 1024,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=2,
            access_log=False,
            log_config=None,
            proxy_headers=False,
            lifespan="off",
        )
        self._server = uvicorn.Server(config)
        logging.getLogger("uvicorn.error").addFilter(without_stack_of_bad_text)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        deadline = time.monotonic() + 60
        while not self._server.started:
            assert time.monotonic() < deadline, "the web server does not start"
            time.sleep(0.01)

    def _serve(self) -> None:
        asyncio.run(self._server.serve([self._socket]))
        connections.close_all()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(60)
        assert not self._thread.is_alive()


Result = TypeVar("Result")
Handler = Callable[[ServerConnection], Awaitable[None]]


@asynccontextmanager
async def fake_proxy(path: Path, handler: Handler) -> AsyncIterator[None]:
    """Serve a proxy's browser endpoint at `path`; `handler` answers each websocket."""
    async with unix_serve(handler, str(path), compression=None, max_size=8 * 1024 * 1024):
        yield


async def in_thread(call: Callable[[], Result]) -> Result:
    """Run a blocking call (the ORM, the test client) in a thread, and close the database connection of that thread."""

    def run() -> Result:
        try:
            return call()
        finally:
            connections.close_all()

    return await asyncio.to_thread(run)


def sign_in(client: Client) -> None:
    """Sign Ann in through the real form."""
    client.get(SIGN_IN)
    answer = client.post(
        SIGN_IN,
        {"username": "ann", "password": PASSWORD},
        content_type="application/json",
        headers={"X-CSRFToken": client.cookies["csrftoken"].value},
    )
    assert answer.status_code == 200, answer.content


def csrf(browser: Client) -> dict[str, str]:
    """The header that unsafe requests need."""
    return {"X-CSRFToken": browser.cookies["csrftoken"].value}


def run(story: Callable[[], Awaitable[None]], limit_s: float = 300) -> None:
    """Run a story to its end."""

    async def limited() -> None:
        async with asyncio.timeout(limit_s):
            await story()

    asyncio.run(limited())


async def standstill(count: Callable[[], int]) -> int:
    """Wait until the number has not grown for a second, and return it."""
    while True:
        before = count()
        await asyncio.sleep(1)
        if 0 < before == count():
            return before
