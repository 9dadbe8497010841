"""The bridge: forwards a browser's websocket to a proxy through the single public port, without reading its content.

The browser must come from our own pages (Origin) with the session of an allowed user (K42: a websocket belongs to the
origin and the sign-in of its page). The check is repeated while the socket is open, so signing out closes it within
seconds (`sign_in_watch`). Each direction forwards one frame at a time: a side that does not read blocks the other side
(back-pressure). No frame is larger than `MAX_FRAME_BYTES`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, Final
from uuid import UUID

from django.conf import settings
from django.db import Error as DatabaseError
from websockets.asyncio.client import ClientConnection, connect, unix_connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from postern.apps.authn.browser_sockets import Visitor, origin_is_ours, visitor_of
from postern.apps.sessions.sessions.consumers.sign_in_watch import Standing, until_signed_out
from postern.apps.sessions.terminals import queries
from postern.contracts.browser import LANGUAGE_HEADER, MAX_FRAME_BYTES, REMOTE_ADDR_HEADER, USER_HEADER
from postern.foundation.network.outbound import check_component
from postern.foundation.rest.rights import Right, Rights
from postern.foundation.sockets.socket_database import in_thread
from postern.foundation.sockets.socket_slots import SocketSlots
from postern.kernel.errors import PosternError

log = logging.getLogger(__name__)

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

_OPEN_TIMEOUT_S: Final = 5.0
_CLOSE_TIMEOUT_S: Final = 3.0
_PROXY_PING_S: Final = 20.0
#: Frames buffered between the proxy's and the browser's socket before reading from the proxy pauses.
_WAITING_FRAMES: Final = 4
_WRITE_BUFFER_BYTES: Final = 256 * 1024

# Close codes for the browser.
CLOSE_UNSUPPORTED: Final = 1003
CLOSE_TOO_LARGE: Final = 1009
CLOSE_SIGNED_OUT: Final = 4401
CLOSE_UNKNOWN_TERMINAL: Final = 4404
CLOSE_TOO_MANY: Final = 4429
CLOSE_PROXY_GONE: Final = 4502
CLOSE_TRY_AGAIN: Final = 4503

#: Terminals that one browser sign-in may hold open: more than a user needs, but a limit for a runaway page.
MAX_SOCKETS: Final = 100


class ProxyBridge:
    """ASGI application of one path; each call serves one browser socket."""

    rights: ClassVar[Rights] = Right.VALID_USER

    def __init__(self) -> None:
        self._slots = SocketSlots("terminals")

    @classmethod
    def as_asgi(cls) -> Any:
        """The application, typed as Channels' router needs it (Django's `path` is typed for views)."""
        return cls()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        if message["type"] != "websocket.connect":
            return
        if not origin_is_ours(scope, settings.POSTERN):
            await send({"type": "websocket.close"})  # before the handshake: the response is 403
            return
        try:
            visitor = await in_thread(visitor_of)(scope, settings.POSTERN)
        except DatabaseError:
            await _accept_and_close(send, CLOSE_TRY_AGAIN, "the service is not ready")
            return
        if visitor is None:
            await _accept_and_close(send, CLOSE_SIGNED_OUT, "sign in first")
            return
        slot = await self._slots.take(visitor.login_session_id, most=MAX_SOCKETS)
        if slot is None:
            await _accept_and_close(send, CLOSE_TOO_MANY, "too many terminals are open")
            return
        try:
            await self._serve(scope, receive, send, visitor)
        finally:
            await self._slots.release(visitor.login_session_id, slot)

    async def _serve(self, scope: Scope, receive: Receive, send: Send, visitor: Visitor) -> None:
        try:
            address = await in_thread(queries.stream_address_of)(scope["url_route"]["kwargs"]["terminal_id"])
        except DatabaseError:
            await _accept_and_close(send, CLOSE_TRY_AGAIN, "the service is not ready")
            return
        if address is None:
            await _accept_and_close(send, CLOSE_UNKNOWN_TERMINAL, "no such terminal, or it is not running")
            return
        try:
            upstream = await open_upstream(address, visitor)
        except (OSError, TimeoutError, WebSocketException, PosternError, ValueError) as error:
            log.warning("the proxy's browser endpoint does not answer: %s: %s", type(error).__name__, error)
            await _accept_and_close(send, CLOSE_PROXY_GONE, "the proxy does not answer")
            return
        try:
            await send({"type": "websocket.accept"})
            await _carry(receive, send, upstream, visitor)
        finally:
            await upstream.close()


async def _carry(receive: Receive, send: Send, upstream: ClientConnection, visitor: Visitor) -> None:
    """Run both directions and the sign-in check until the first of them ends."""
    tasks = {
        asyncio.create_task(_browser_to_proxy(receive, send, upstream)),
        asyncio.create_task(_proxy_to_browser(send, upstream)),
        asyncio.create_task(_until_signed_out(visitor.login_session_id)),
    }
    try:
        done, _pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    verdicts = [task.result() for task in done if not task.cancelled() and task.exception() is None]
    failures = [task.exception() for task in done if not task.cancelled() and task.exception() is not None]
    closing = next((verdict for verdict in verdicts if verdict is not None), None)
    if closing is None and failures:
        log.warning("a browser socket failed: %s", type(failures[0]).__name__)
        closing = (CLOSE_PROXY_GONE, "the connection to the proxy broke")
    if closing is not None:
        await send({"type": "websocket.close", "code": closing[0], "reason": closing[1][:120]})


async def _browser_to_proxy(receive: Receive, send: Send, upstream: ClientConnection) -> tuple[int, str] | None:
    """Forward until the browser disconnects. None: the browser has closed its side."""
    del send
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            return None
        text, data = message.get("text"), message.get("bytes")
        frame: str | bytes = text if text is not None else data or b""
        size = len(frame) if isinstance(frame, bytes) else len(frame.encode("utf-8", "surrogatepass"))
        if size > MAX_FRAME_BYTES:
            return CLOSE_TOO_LARGE, "the frame is too large"
        try:
            # Waits while the proxy does not read, and so pauses reading from the browser.
            await upstream.send(frame)
        except ConnectionClosed:
            return await _end_of(upstream)


async def _proxy_to_browser(send: Send, upstream: ClientConnection) -> tuple[int, str]:
    """Forward until the proxy closes its side."""
    try:
        while True:
            frame = await upstream.recv()
            if isinstance(frame, str):
                await send({"type": "websocket.send", "text": frame})
            else:
                await send({"type": "websocket.send", "bytes": frame})
    except ConnectionClosed:
        return await _end_of(upstream)


async def _end_of(upstream: ClientConnection) -> tuple[int, str]:
    """The proxy's close code, mapped to a code that may be sent to the browser."""
    await upstream.wait_closed()
    code = upstream.close_code
    if code is None or code in {1005, 1006, 1015}:
        return CLOSE_PROXY_GONE, "the connection to the proxy broke"
    return code, upstream.close_reason or ""


async def _until_signed_out(login_session_id: UUID) -> tuple[int, str]:
    if await until_signed_out(login_session_id) is Standing.SIGNED_OUT:
        return CLOSE_SIGNED_OUT, "signed out"
    return CLOSE_TRY_AGAIN, "the service is not ready"


async def _accept_and_close(send: Send, code: int, reason: str) -> None:
    """A browser reports the code of a close, but not the status of a refused handshake."""
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": code, "reason": reason})


async def open_upstream(address: str, visitor: Visitor) -> ClientConnection:
    """Connect to a proxy's browser endpoint, `unix:/path` or `host:port`.

    Raises OSError, TimeoutError, WebSocketException, PosternError, ValueError.
    """
    options: dict[str, Any] = {
        "compression": None,
        "max_size": MAX_FRAME_BYTES,
        "max_queue": _WAITING_FRAMES,
        "write_limit": _WRITE_BUFFER_BYTES,
        "open_timeout": _OPEN_TIMEOUT_S,
        "close_timeout": _CLOSE_TIMEOUT_S,
        "ping_interval": _PROXY_PING_S,
        "ping_timeout": _PROXY_PING_S,
        "user_agent_header": None,
        "additional_headers": {
            USER_HEADER: str(visitor.user_id),
            REMOTE_ADDR_HEADER: visitor.remote_addr,
            LANGUAGE_HEADER: visitor.language,
        },
    }
    if address.startswith("unix:"):
        return await unix_connect(address.removeprefix("unix:"), uri="ws://proxy/", **options)
    host, _, port = address.rpartition(":")
    # The proxy chooses this address, so it must not point to Redis, the database or the web service.
    target = await in_thread(check_component)(host.removeprefix("[").removesuffix("]"), int(port))
    return await connect(f"ws://{address}/", proxy=None, host=target.address, port=target.port, **options)
