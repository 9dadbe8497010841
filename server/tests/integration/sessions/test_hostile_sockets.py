"""Hostile websocket clients against the production server: each gets a close code, and no stack trace is logged."""

import asyncio
import contextlib
import logging
import socket
import threading
from collections.abc import Iterator
from time import monotonic, sleep
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError
from live import LiveServer
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from factories.browser import PASSWORD, Browser
from factories.proxy_client import Proxy
from postern.apps.authn import page_sockets
from postern.apps.authn.models import LoginSession
from postern.apps.notifications import consumers, queries
from postern.apps.users.models import User
from postern.contracts.terminals import CONTROL_CHANNEL
from postern.kernel import clock

BELL = "/ws/notifications/site-msg/"
UNKNOWN = (
    "/ws/nothing/",
    "/",
    "/api/v1/users/users/",
    "/api/health/",
    "/ui/",
    "/ws/notifications/site-msg",
    "/ws/terminal/not-an-id/",
    "/%0a%00",
    "/" + "x" * 4_000,
)
DEEP = '{"x": ' + "[" * 20_000 + "]" * 20_000 + "}"


@pytest.fixture
def stacks() -> Iterator[list[str]]:
    """Every stack trace that is logged during the test."""
    traces: list[str] = []

    class TraceHandler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.exc_info:
                traces.append(self.format(record))

    handler = TraceHandler()
    logging.getLogger().addHandler(handler)
    yield traces
    logging.getLogger().removeHandler(handler)


def dial(live: LiveServer, path: str, headers: dict[str, str] | None = None, **options: Any) -> Any:
    return connect(
        f"ws://{live.host}{path}",
        additional_headers={"Origin": f"http://{live.host}", **(headers or {})},
        compression=None,
        **options,
    )


async def close_code(link: ClientConnection) -> int | None:
    """The close code of the server. Frames that arrive before the close are discarded."""
    async with asyncio.timeout(60):
        with contextlib.suppress(ConnectionClosed):
            while True:
                await link.recv()
    return link.close_code


@pytest.fixture
def cookie(people: dict[str, User], live: LiveServer) -> str:
    people["user"].set_password(PASSWORD)
    people["user"].save()
    browser = Browser("127.0.0.1")
    browser.get("/api/v1/authentication/sign-in/")
    assert browser.sign_in(people["user"].username).status_code == 200
    return "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())


def test_unknown_websocket_paths_close_with_4404_and_no_stack_trace(live: LiveServer, stacks: list[str]) -> None:
    async def story() -> dict[str, int | None]:
        codes = {}
        for path in UNKNOWN:
            async with dial(live, path) as link:
                codes[path] = await close_code(link)
        return codes

    assert asyncio.run(story()) == dict.fromkeys(UNKNOWN, 4404)
    assert stacks == []


@pytest.mark.parametrize("which", ["bell", "control"])
def test_hostile_frames_close_with_a_code_and_no_stack_trace(
    which: str, live: LiveServer, cookie: str, proxy: Proxy, stacks: list[str]
) -> None:
    path = {"bell": BELL, "control": CONTROL_CHANNEL}[which]
    headers = {"bell": {"Cookie": cookie}, "control": {"Authorization": proxy.headers["Authorization"]}}[which]
    frames: dict[str, tuple[Any, set[int]]] = {
        "binary": (b"\x00\xff\xfe", {4400}),
        "text that is no JSON": ("{", {4400}),
        "empty": ("", {4400}),
        "an array": ("[]", {4400}),
        "nested deeply": (DEEP, {4400}),
        "a lone surrogate": ('{"refresh_every_seconds": "\\ud800"}', {4400}),
        "a huge number": ('{"refresh_every_seconds": 1e999}', {4400}),
        "a frame beyond the limit": ("x" * 1_100_000, {1009}),
        "text that is not UTF-8": (Frame(Opcode.TEXT, b"\xff\xfe"), {1007}),
        "a control frame that is none": (Frame(Opcode.PING, b"x" * 200), {1002}),
    }

    async def story() -> dict[str, bool]:
        right = {}
        for name, (frame, codes) in frames.items():
            async with dial(live, path, headers, subprotocols=["chat", "v1.postern"]) as link:
                if isinstance(frame, Frame):
                    data = frame.serialize(mask=True, extensions=[]) if len(frame.data) < 126 else _oversized(frame)
                    link.transport.write(data)
                else:
                    # The server may close while a long frame is still being sent.
                    with contextlib.suppress(ConnectionClosed):
                        await link.send(frame)
                code = await close_code(link)
                right[f"{name}: {code}"] = code in codes
        return right

    results = asyncio.run(story())
    assert all(results.values()), results
    assert stacks == []


@pytest.mark.parametrize("closed_by", ["a broken frame", "the watch over sign-ins"])
def test_message_socket_closed_during_a_query_leaves_no_stack_trace(
    closed_by: str, live: LiveServer, cookie: str, stacks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    may_answer = threading.Event()

    def slow(user_id: UUID) -> int:
        assert may_answer.wait(60)
        return len(str(user_id))

    monkeypatch.setattr(queries, "unread_total", slow)

    try:
        with socket.create_connection(("127.0.0.1", live.port), timeout=60) as link, link.makefile("rb") as answers:
            link.sendall(
                f"GET {BELL} HTTP/1.1\r\nHost: {live.host}\r\nOrigin: http://{live.host}\r\nCookie: {cookie}\r\n"
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
            )
            while answers.readline() != b"\r\n":
                pass
            if closed_by == "a broken frame":
                link.sendall(Frame(Opcode.TEXT, b"\xff\xfe").serialize(mask=True, extensions=[]))
            else:
                LoginSession.objects.update(date_ended=clock.now())
            opcode, size = answers.read(2)
            code = int.from_bytes(answers.read(size)[:2], "big")
            # The client does not answer the close frame: for the server the connection stays open and closing.
            may_answer.set()
            deadline = monotonic() + 60
            while consumers.WATCH._sockets and monotonic() < deadline:
                sleep(0.02)
    finally:
        may_answer.set()
    assert (opcode, code) == (0x88, {"a broken frame": 1007, "the watch over sign-ins": 4401}[closed_by])
    assert not consumers.WATCH._sockets
    assert stacks == []


def _oversized(frame: Frame) -> bytes:
    """A ping with more than the 125 bytes that a control frame may have."""
    return bytes([0x80 | frame.opcode, 0x80 | 126]) + len(frame.data).to_bytes(2, "big") + bytes(4) + bytes(frame.data)


@pytest.mark.parametrize(
    "target", [b"/ws/\xc3\xbc/", b"/ws/\xff\xfe/", b"*", b"ws://x/ws/", b"/ws/nothing/?\xff"], ids=repr
)
def test_handshake_for_a_path_of_any_bytes_leaves_no_stack_trace(
    live: LiveServer, target: bytes, stacks: list[str]
) -> None:
    with socket.create_connection(("127.0.0.1", live.port), timeout=60) as link:
        link.sendall(
            b"GET " + target + b" HTTP/1.1\r\nHost: " + live.host.encode() + b"\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        answer = link.recv(4096)
    assert not answer or answer.startswith(b"HTTP/1.1 ")
    assert stacks == []


def test_incomplete_handshake_and_bad_key_leave_no_stack_trace(live: LiveServer, stacks: list[str]) -> None:
    for end in (b"\r\n", b"Sec-WebSocket-Key: short\r\n\r\n", b"Sec-WebSocket-Key: \xff\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", live.port), timeout=60) as link:
            link.sendall(
                b"GET " + BELL.encode() + b" HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Version: 13\r\n" + end
            )
            link.shutdown(socket.SHUT_WR)
            while link.recv(4096):
                pass
    assert stacks == []


def test_unreachable_database_closes_with_try_again_later(
    live: LiveServer, cookie: str, monkeypatch: pytest.MonkeyPatch, stacks: list[str]
) -> None:
    def away(*_: Any) -> None:
        raise OperationalError("the connection is closed")

    monkeypatch.setattr(page_sockets, "visitor_of", away)

    async def story() -> int | None:
        async with dial(live, BELL, {"Cookie": cookie}) as link:
            return await close_code(link)

    assert asyncio.run(story()) == 1013
    assert stacks == []
