"""A page of the file manager in a signed-in browser, and a proxy's endpoint for it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
from aiohttp import web
from django.test import Client
from live import LiveServer, csrf
from yarl import URL

from factories.proxy_client import Proxy

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
SESSION = str(uuid4())
MIB = 1024 * 1024


@asynccontextmanager
async def endpoint(site_of: Callable[[web.AppRunner], web.BaseSite], handler: Handler) -> AsyncIterator[web.BaseSite]:
    """A proxy's file manager endpoint; `handler` answers each request."""
    application = web.Application(client_max_size=0)
    application.router.add_route("*", "/{rest:.*}", handler)
    runner = web.AppRunner(application, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = site_of(runner)
    await site.start()
    try:
        yield site
    finally:
        await runner.cleanup()


@asynccontextmanager
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    """A browser's connections. They are closed at the end, also those on which an answer came before the body's end."""
    made: list[socket.socket] = []

    def make(info: aiohttp.AddrInfoType) -> socket.socket:
        made.append(socket.socket(*info[:3]))
        return made[-1]

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(socket_factory=make)) as http:
        yield http
    while any(one.fileno() != -1 for one in made):  # noqa: ASYNC110 - asyncio does not tell
        await asyncio.sleep(0.01)


class FilesPage:
    """A page of the console in a signed-in browser, whose session is carried by the proxy at a Unix socket."""

    def __init__(self, live: LiveServer, proxy: Proxy, browser: Client, path: Path) -> None:
        self.live = live
        self.proxy = proxy
        self.browser = browser
        self.path = path

    def behind(self, handler: Handler) -> Any:
        return endpoint(lambda runner: web.UnixSite(runner, str(self.path)), handler)

    def url(self, operation: str, terminal_id: object = None) -> URL:
        path = f"/files/{terminal_id or self.proxy.id}/{SESSION}/{operation}"
        return URL(f"http://{self.live.host}{path}", encoded=True)

    def headers(self, **more: str | None) -> dict[str, str]:
        """Those of a request of the page; None leaves one out."""
        cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in self.browser.cookies.items())
        given = {"Cookie": cookies, "Origin": f"http://{self.live.host}", **csrf(self.browser)}
        given |= {name.replace("_", "-"): value for name, value in more.items()}  # type: ignore[dict-item]
        return {name: value for name, value in given.items() if value is not None}


async def ok(_request: web.Request) -> web.Response:
    return web.json_response({"fine": True})


async def problem(answer: aiohttp.ClientResponse) -> tuple[int, str]:
    return answer.status, (await answer.json())["code"]
