"""Forwards the file manager's requests to the proxy that carries the session, piece by piece, without reading them.

An ASGI application in front of Django, whose handler would store a whole body before any check. Neither side's body
piles up: a piece is read when the piece before it has been written. The transfer ends when either side leaves, and
within seconds when the sign-in ends. An answer that breaks off leaves the browser's answer incomplete: short of its
Content-Length or of its last chunk, so that no part of a file passes for the whole.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import ClassVar, Final
from uuid import UUID

from aiohttp import ClientError, ClientResponse
from django.db import Error as DatabaseError
from django.utils.translation import gettext_lazy as _

from postern.apps.sessions.files import answers
from postern.apps.sessions.files.admission import Admitted, admit, language_of, not_signed_in
from postern.apps.sessions.files.asked import FILES_PREFIX, Asked, asked_of
from postern.apps.sessions.files.refusals import Refused, send_refusal
from postern.apps.sessions.files.upstream import address_of, headers_for, open_upstream
from postern.apps.sessions.sessions.consumers import sign_in_watch
from postern.apps.sessions.sessions.consumers.sign_in_watch import Standing
from postern.contracts.files import FileProblem
from postern.foundation.requests.body_guard import Application, Message, Patience, Receive, Scope, Send
from postern.foundation.rest.rights import Right, Rights
from postern.foundation.sockets.socket_database import in_thread
from postern.foundation.sockets.socket_slots import SocketSlots
from postern.kernel.errors import PosternError

log = logging.getLogger(__name__)

#: Requests that one sign-in may have under way: several tabs with transfers, but a limit for a runaway page.
MAX_AT_ONCE: Final = 16
PIECE_BYTES: Final = 256 * 1024


class FileForwarder:
    """The application for the addresses below `/files/`. `others` serves all other requests."""

    rights: ClassVar[Rights] = Right.VALID_USER

    def __init__(self, others: Application) -> None:
        self._others = others
        self._slots = SocketSlots("files")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(FILES_PREFIX):
            await self._others(scope, receive, send)
            return
        answer = _Answer(send)
        try:
            await self._serve(scope, receive, answer)
        except Refused as refused:
            if answer.is_begun:
                log.warning("%s %s breaks off: %s", scope["method"], scope["path"], refused)
                return  # incomplete, so the server closes the connection
            await send_refusal(send, refused, language=language_of(dict(scope)), has_body=scope["method"] != "HEAD")

    async def _serve(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        asked = asked_of(scope)
        try:
            admitted = await in_thread(admit)(dict(scope), asked)
        except DatabaseError:
            raise _unavailable() from None
        login_session_id = admitted.visitor.login_session_id
        slot = await self._slots.take(login_session_id, most=MAX_AT_ONCE)
        if slot is None:
            text = _("Too many file operations are running at once. Wait until one of them has ended.")
            raise Refused(429, FileProblem.TOO_MANY, text, {"retry-after": "1"})
        try:
            await _forward(asked, admitted, _Body(receive), answer)
        finally:
            await self._slots.release(login_session_id, slot)


class _Answer:
    """The browser's side of the answer."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.is_begun = False

    async def begin(self, status: int, headers: dict[str, str]) -> None:
        self.is_begun = True
        encoded = [(name.lower().encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": encoded})

    async def write(self, data: bytes) -> None:
        """Returns when the connection takes more."""
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b""})


class _Body:
    """The body of the browser's request, and the news that the browser has left.

    Only one of the two waits for the next message at a time.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._patience = Patience()
        self._is_read = asyncio.Event()
        self.has_left = False
        self.is_too_slow = False

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body, as it arrives. Raises ConnectionResetError when the rest will not come."""
        try:
            more = True
            while more:
                message = await self._next_piece()
                more = message.get("more_body", False)
                data = memoryview(message.get("body", b""))
                for start in range(0, len(data), PIECE_BYTES):
                    yield bytes(data[start : start + PIECE_BYTES])
        finally:
            self._is_read.set()

    async def _next_piece(self) -> Message:
        try:
            message = await self._patience.next_piece(self._receive)
        except TimeoutError:
            self.is_too_slow = True
            raise ConnectionResetError("the body does not arrive") from None
        if message["type"] == "http.disconnect":
            self.has_left = True
            raise ConnectionResetError("the browser has left")
        return message

    async def until_gone(self, *, is_read: bool) -> None:
        """Return when the browser has left. `is_read`: nobody reads the body, because there is none."""
        if not is_read:
            await self._is_read.wait()
        while not self.has_left:
            self.has_left = (await self._receive())["type"] == "http.disconnect"


async def _forward(asked: Asked, admitted: Admitted, body: _Body, answer: _Answer) -> None:
    """Carry the request and its answer until the first of these: its end, the browser leaves, the sign-in ends.

    Raises Refused.
    """
    carrying = asyncio.create_task(_carry(asked, admitted, body, answer))
    gone = asyncio.create_task(body.until_gone(is_read=not asked.length))
    standing = asyncio.create_task(_until_signed_out(admitted.visitor.login_session_id))
    tasks = (carrying, gone, standing)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if body.has_left:
        return
    if not carrying.cancelled():
        carrying.result()
    elif not standing.cancelled():
        raise not_signed_in() if standing.result() is Standing.SIGNED_OUT else _unavailable()


async def _until_signed_out(login_session_id: UUID) -> Standing:
    """The sign-in has just been checked: most requests end before it is checked again."""
    await asyncio.sleep(sign_in_watch.RECHECK_S)
    return await sign_in_watch.until_signed_out(login_session_id)


async def _carry(asked: Asked, admitted: Admitted, body: _Body, answer: _Answer) -> None:
    """Send the request to the proxy, and its answer to the browser. Raises Refused."""
    try:
        client, root = await open_upstream(admitted.endpoint.address)
    except (PosternError, ValueError) as error:
        raise _proxy_gone(error) from error
    try:
        async with (
            client,
            client.request(
                asked.method,
                address_of(root, asked),
                headers=headers_for(asked, admitted),
                data=body.pieces() if asked.length else None,
                allow_redirects=False,
            ) as reply,
        ):
            await _pass_on(reply, asked, answer)
    except (ClientError, OSError, TimeoutError) as error:
        if body.is_too_slow:
            text = _("The body of the request arrives too slowly.")
            raise Refused(408, FileProblem.BAD_REQUEST, text, {"connection": "close"}) from error
        if body.has_left:
            return
        raise _proxy_gone(error) from error


async def _pass_on(reply: ClientResponse, asked: Asked, answer: _Answer) -> None:
    """Raises Refused, ClientError (the answer breaks off)."""
    is_chunked = reply.headers.get("Transfer-Encoding", "").lower() == "chunked"
    has_body = asked.method != "HEAD" and reply.status not in answers.BODILESS
    # Where only the end of the connection ends a body, a part cannot be told from the whole.
    if not answers.is_possible(reply.status) or (has_body and not is_chunked and reply.content_length is None):
        raise _proxy_gone(ValueError(f"an answer of an unknown form, status {reply.status}"))
    headers = answers.browser_headers(reply.status, reply.headers.items())
    if is_chunked:
        headers.pop("Content-Length", None)
    await answer.begin(reply.status, headers)
    async for piece in reply.content.iter_chunked(PIECE_BYTES):
        await answer.write(piece)
    await answer.end()


def _proxy_gone(error: Exception) -> Refused:
    log.warning("the proxy's file manager endpoint does not answer: %s: %s", type(error).__name__, error)
    text = _("The proxy of this session does not answer. Try again, or open the session again.")
    return Refused(502, FileProblem.PROXY_GONE, text)


def _unavailable() -> Refused:
    text = _("The service is not ready. Try again in a few seconds.")
    return Refused(503, FileProblem.UNAVAILABLE, text, {"retry-after": "5"})
