"""The web processes of a running product, and connections pinned to one of them."""

import asyncio
import http.client
import json
import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import psutil
from product import Answer, Api, Product, solving, wait_until
from websockets.asyncio.client import ClientConnection, connect

#: Connections tried per process before it counts as receiving none.
_TRIES = 40


def web_pids(product: Product) -> set[int]:
    return {child.pid for child in product.part("web").children()}


def owner_of(product: Product, port: int) -> int | None:
    """Return the web process at the other end of the client's local `port`."""
    for pid in web_pids(product):
        try:
            ends = psutil.Process(pid).net_connections("tcp")
        except psutil.Error:
            continue
        if any(end.raddr and end.raddr.port == port and end.laddr.port == product.http_port for end in ends):
            return pid
    return None


class Pinned:
    """A signed-in client on one connection, which stays with one process."""

    def __init__(self, product: Product, api: Api) -> None:
        self._api = api
        self.connection = http.client.HTTPConnection("127.0.0.1", product.http_port, timeout=90)
        try:
            self.call("GET", "/api/v1/settings/public/")
            self.pid: int = wait_until(lambda: self._owner(product), message="the owner of a connection")
        except BaseException:
            self.connection.close()
            raise

    def _owner(self, product: Product) -> int | None:
        """Return the process. Raises ConnectionError if it has ended, and the connection with it."""
        sock = self.connection.sock
        if sock is None or (select.select([sock], [], [], 0)[0] and not sock.recv(1, socket.MSG_PEEK)):
            raise ConnectionResetError("closed by the other end")
        port: int = sock.getsockname()[1]
        return owner_of(product, port)

    def call(self, method: str, path: str, body: Any = None) -> Answer:
        """Make one call. A puzzle is solved first, as the console does."""
        return solving(lambda sent: self._call(method, path, sent), body)

    def _call(self, method: str, path: str, body: Any) -> Answer:
        headers = {"Cookie": "; ".join(f"{one.name}={one.value}" for one in self._api.cookies), "Accept-Language": "en"}
        headers |= {"Content-Type": "application/json", "X-CSRFToken": self._api.cookie("csrftoken") or ""}
        headers |= {"Referer": self._api.url + "/"}
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        raw = answer.read()
        return Answer(answer.status, json.loads(raw) if raw else None)


@contextmanager
def one_for_each(product: Product, api: Api) -> Iterator[list[Pinned]]:
    """Open a connection to each web process."""
    opened: list[Pinned] = []
    wanted = web_pids(product)
    try:
        while {pinned.pid for pinned in opened} != wanted:
            assert len(opened) < _TRIES, f"only some of {wanted} take connections"
            opened.append(Pinned(product, api))  # all stay open, so the next connection goes to another process
        yield list({pinned.pid: pinned for pinned in opened}.values())
    finally:
        for pinned in opened:
            pinned.connection.close()


class Bell:
    """A console's websocket for unread messages."""

    def __init__(self, product: Product, api: Api) -> None:
        self._product = product
        self._api = api
        self.socket: ClientConnection
        self.pid = 0

    async def __aenter__(self) -> Self:
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self._api.cookies)
        self.socket = await connect(
            self._api.url.replace("http", "ws", 1) + "/ws/notifications/site-msg/",
            additional_headers={"Cookie": cookies, "Origin": self._api.url},
            proxy=None,
        )
        port = self.socket.local_address[1]
        self.pid = await asyncio.to_thread(wait_until, lambda: owner_of(self._product, port))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()
