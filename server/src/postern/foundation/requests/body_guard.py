"""Limits on request bodies, in front of Django (K54: bodies are limited before they are read).

Django's ASGI handler reads a whole body, to disk if necessary, before any middleware or authentication sees the
request. This guard runs earlier. A body longer than its route allows is answered with 413. A body that stops arriving
or arrives too slowly is answered with 408.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from postern.foundation.requests.middleware import body_limit_bytes
from postern.kernel.clock import monotonic_s

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Maximum pause between two pieces of a body: enough for a bad line, too short for silent clients to accumulate.
PIECE_TIMEOUT_S: Final = 30.0
#: Minimum average rate after the first `PIECE_TIMEOUT_S`: several simultaneous uploads over a bad line reach it.
LEAST_BYTES_PER_S: Final = 1024

_ERRORS: Final = {
    400: b'{"error": "Bad request"}',
    408: b'{"error": "The request took too long"}',
    413: b'{"error": "Request body too large"}',
}


class BodyGuard:
    """ASGI middleware around the HTTP application."""

    def __init__(
        self,
        application: Application,
        *,
        piece_timeout_s: float = PIECE_TIMEOUT_S,
        least_bytes_per_s: int = LEAST_BYTES_PER_S,
    ) -> None:
        self._application = application
        self._piece_timeout_s = piece_timeout_s
        self._least_bytes_per_s = least_bytes_per_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        limit_bytes = body_limit_bytes(scope["path"])
        announced_bytes = _announced(scope)
        if announced_bytes is None or announced_bytes > limit_bytes:
            await _refuse(send, 400 if announced_bytes is None else 413)
            return
        request = _GuardedRequest(receive, send, limit_bytes, self._piece_timeout_s, self._least_bytes_per_s)
        await self._application(scope, request.receive, request.send)


class Patience:
    """The time that one body may take to arrive."""

    def __init__(self, *, piece_timeout_s: float = PIECE_TIMEOUT_S, least_bytes_per_s: int = LEAST_BYTES_PER_S) -> None:
        self._piece_timeout_s = piece_timeout_s
        self._least_bytes_per_s = least_bytes_per_s
        #: Remaining time to wait for the body. Each piece adds to it; only the time spent waiting is subtracted.
        self._left_s = piece_timeout_s

    async def next_piece(self, receive: Receive) -> Message:
        """The next message of the client. Raises TimeoutError."""
        asked_s = monotonic_s()
        async with asyncio.timeout(min(self._piece_timeout_s, max(self._left_s, 0.0))):
            message = await receive()
        self._left_s += len(message.get("body", b"")) / self._least_bytes_per_s - (monotonic_s() - asked_s)
        return message


class _GuardedRequest:
    """Counts the body of one request as it arrives. After a refusal, the application sees a disconnected client."""

    def __init__(
        self, receive: Receive, send: Send, limit_bytes: int, piece_timeout_s: float, least_bytes_per_s: int
    ) -> None:
        self._receive = receive
        self._send = send
        self._left_bytes = limit_bytes
        self._patience = Patience(piece_timeout_s=piece_timeout_s, least_bytes_per_s=least_bytes_per_s)
        self._complete = False
        self._refused = False

    async def receive(self) -> Message:
        if self._refused:
            return {"type": "http.disconnect"}
        if self._complete:  # the application now waits for the client to disconnect, without a limit
            return await self._receive()
        try:
            message = await self._patience.next_piece(self._receive)
        except TimeoutError:
            return await self._refuse(408)
        self._left_bytes -= len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        return await self._refuse(413) if self._left_bytes < 0 else message

    async def _refuse(self, status: int) -> Message:
        self._refused = True
        await _refuse(self._send, status)
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if not self._refused:
            await self._send(message)


def _announced(scope: Scope) -> int | None:
    """Content-Length; 0 when it is missing, None when it is malformed or contradictory."""
    values = {value for name, value in scope["headers"] if name == b"content-length"}
    if not values:
        return 0
    text = values.pop()
    return int(text) if not values and text.isdigit() and len(text) < 20 else None


async def _refuse(send: Send, status: int) -> None:
    body = _ERRORS[status]
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
