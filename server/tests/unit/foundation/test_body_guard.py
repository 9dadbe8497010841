"""Request bodies are limited before Django sees the request (K54: bodies are limited before they are read)."""

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from postern.foundation.requests import body_guard
from postern.foundation.requests.body_guard import BodyGuard
from postern.foundation.requests.middleware import BODY_LIMITS, BodyLimits

MIB = 1024 * 1024
LIMIT = 2 * MIB
#: Limits with a route whose bodies may be longer.
PARTS = BodyLimits(beginnings={"/api/v1/test-parts/": 8 * MIB}, endings={})


class Peer:
    """An ASGI client that sends pieces of a body and records the answer."""

    def __init__(self, pieces: list[bytes], *, stall: bool = False) -> None:
        self.pieces = pieces
        self.stall = stall
        self.given = 0
        self.status = 0
        self.body = b""

    async def receive(self) -> MutableMapping[str, Any]:
        if self.given < len(self.pieces):
            piece = self.pieces[self.given]
            self.given += 1
            return {"type": "http.request", "body": piece, "more_body": self.stall or self.given < len(self.pieces)}
        await asyncio.Event().wait()
        raise AssertionError

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.body += message["body"]


class Application:
    """Reads the whole body, as Django does, and answers with its length."""

    def __init__(self) -> None:
        self.started = False
        self.kept_bytes = 0

    async def _pieces(self, receive: Any) -> AsyncIterator[bytes]:
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            yield message["body"]
            if not message["more_body"]:
                return

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.started = True
        async for piece in self._pieces(receive):
            self.kept_bytes += len(piece)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": str(self.kept_bytes).encode()})


async def _request(
    pieces: list[bytes], *, length: bytes | None = None, path: str = "/api/v1/x/", stall: bool = False
) -> tuple[Peer, Application]:
    peer, application = Peer(pieces, stall=stall), Application()
    headers = [] if length is None else [(b"content-length", length)]
    scope = {"type": "http", "path": path, "headers": headers}
    await BodyGuard(application, piece_timeout_s=0.2 if stall else 60)(scope, peer.receive, peer.send)
    return peer, application


async def test_body_within_the_limit_passes() -> None:
    peer, _ = await _request([b"a" * MIB, b"b" * MIB], length=str(LIMIT).encode())
    assert (peer.status, peer.body) == (200, str(LIMIT).encode())


async def test_k54_body_with_a_too_large_length_is_refused_unread() -> None:
    peer, application = await _request([b"x"], length=b"10737418240")
    assert (peer.status, peer.given, application.started) == (413, 0, False)


async def test_k54_body_without_length_is_cut_at_the_limit() -> None:
    peer, application = await _request([b"x" * MIB] * 64)
    assert peer.status == 413
    assert peer.given == 3
    assert application.kept_bytes <= LIMIT


async def test_k54_body_longer_than_its_length_is_cut() -> None:
    peer, _ = await _request([b"x" * MIB] * 8, length=b"5")
    assert peer.status == 413


@pytest.mark.parametrize("length", [b"-1", b"x", b"1e3", b"", b"9" * 30, b"\xef\xbc\x91"])
async def test_k54_body_with_an_invalid_length_is_refused(length: bytes) -> None:
    peer, application = await _request([b"x"], length=length)
    assert (peer.status, application.started) == (400, False)


async def test_k54_body_that_stops_arriving_times_out() -> None:
    peer, application = await _request([b"x"], stall=True)
    assert peer.status == 408
    assert application.kept_bytes == 1


class ThinLine(Peer):
    """Sends a piece each second of a simulated clock, which advances when the application waits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, piece: bytes, count: int, pause_s: float = 1.0) -> None:
        super().__init__([piece] * count)
        self.now_s, self.pause_s = 0.0, pause_s
        monkeypatch.setattr(body_guard, "monotonic_s", lambda: self.now_s)
        monkeypatch.setattr(asyncio, "timeout", self.timeout)

    @asynccontextmanager
    async def timeout(self, allowed_s: float) -> AsyncIterator[None]:
        if self.pause_s > allowed_s:
            raise TimeoutError
        yield

    async def receive(self) -> MutableMapping[str, Any]:
        self.now_s += self.pause_s
        return await super().receive()

    async def send_body(self, path: str = "/api/v1/x/") -> Application:
        application = Application()
        await BodyGuard(application)({"type": "http", "path": path, "headers": []}, self.receive, self.send)
        return application


async def test_slow_but_steady_upload_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """16 KiB a second for a part of a recording, which takes more than eight minutes."""
    line = ThinLine(monkeypatch, piece=b"x" * 16 * 1024, count=512)
    with BODY_LIMITS.replaced(PARTS):
        application = await line.send_body("/api/v1/test-parts/1/")
    assert (line.status, application.kept_bytes, line.now_s) == (200, 8 * MIB, 512)


async def test_upload_with_pauses_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    line = ThinLine(monkeypatch, piece=b"x" * 64 * 1024, count=16, pause_s=25.0)
    await line.send_body()
    assert line.status == 200


@pytest.mark.parametrize("pause_s", [1.0, 29.0])
async def test_body_that_arrives_byte_by_byte_times_out(monkeypatch: pytest.MonkeyPatch, pause_s: float) -> None:
    line = ThinLine(monkeypatch, piece=b"x", count=100_000, pause_s=pause_s)
    await line.send_body()
    assert line.status == 408
    assert line.now_s <= 31


async def test_route_has_its_own_body_limit() -> None:
    with BODY_LIMITS.replaced(PARTS):
        peer, _ = await _request([b"x" * MIB] * 6, path="/api/v1/test-parts/1/")
    assert peer.status == 200


async def test_websockets_pass_untouched() -> None:
    seen: list[str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["type"])

    await BodyGuard(application)({"type": "websocket"}, Peer([]).receive, Peer([]).send)
    assert seen == ["websocket"]
