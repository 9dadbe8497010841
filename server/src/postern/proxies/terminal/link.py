"""One websocket of a browser as typed messages."""

import asyncio
from typing import Final
from uuid import UUID

import msgspec
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from postern.contracts.browser import (
    LANGUAGE_HEADER,
    REMOTE_ADDR_HEADER,
    USER_HEADER,
    ClientMessage,
    Ended,
    InputCredit,
    Pong,
    ServerMessage,
)
from postern.kernel.clock import monotonic_s
from postern.kernel.ids import parse_id

_MAX_TEXT_BYTES: Final = 64 * 1024
_FRAMES_PER_S: Final = 500
_CUT_S: Final = 0.5
_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final[msgspec.json.Decoder[ClientMessage]] = msgspec.json.Decoder(ClientMessage)


class NotUnderstood(Exception):
    """The browser sent a frame that the protocol does not define."""


class LinkGone(Exception):
    """The websocket is closed."""


class BrowserLink:
    """Sends and receives messages, and knows the user that the web plane authenticated."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket
        headers = socket.request.headers if socket.request is not None else {}
        self.user_id: UUID | None = parse_id(headers.get(USER_HEADER, ""))
        self.remote_addr: str = headers.get(REMOTE_ADDR_HEADER, "")
        self._second_began_s = 0.0
        self._frames = 0
        self.language: str = headers.get(LANGUAGE_HEADER, "zh-hans")
        #: Whether the page respects the credit for its input. Pages of older releases do not.
        self.counts_input = False
        self._newest: dict[type, Pong | InputCredit] = {}
        self._telling: asyncio.Task[None] | None = None

    async def receive(self) -> ClientMessage | bytes:
        """Return the next message, or keystrokes. Raises LinkGone, NotUnderstood.

        A page that sends more frames than typing or drawing requires is only read more slowly.
        """
        try:
            frame = await self._socket.recv()
        except ConnectionClosed as error:
            raise LinkGone from error
        await self._slow_down()
        if isinstance(frame, bytes):
            return frame
        if len(frame) > _MAX_TEXT_BYTES:
            raise NotUnderstood
        try:
            return _DECODER.decode(frame)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise NotUnderstood from error

    async def _slow_down(self) -> None:
        present_s = monotonic_s()
        if present_s - self._second_began_s >= 1:
            self._second_began_s = present_s
            self._frames = 0
        self._frames += 1
        if self._frames > _FRAMES_PER_S:
            await asyncio.sleep(1 - (present_s - self._second_began_s))

    async def receive_first(self, timeout_s: float) -> ClientMessage | bytes:
        """Return the first message. Raises TimeoutError as well."""
        async with asyncio.timeout(timeout_s):
            return await self.receive()

    async def say(self, message: ServerMessage) -> None:
        """Send a message. Waits while the browser does not read. Raises LinkGone."""
        await self._send(_ENCODER.encode(message).decode())

    def tell(self, message: Pong | InputCredit) -> None:
        """Send a message soon, without waiting. While the browser does not read, a newer message replaces the last of
        its kind.
        """
        self._newest[type(message)] = message
        if self._telling is None:
            self._telling = asyncio.create_task(self._tell(), name="browser link messages")

    async def _tell(self) -> None:
        try:
            while self._newest:
                await self.say(self._newest.pop(next(iter(self._newest))))
        except LinkGone:
            self._newest.clear()
        finally:
            self._telling = None

    async def output(self, data: bytes) -> None:
        """Send terminal bytes. Waits while the browser does not read. Raises LinkGone."""
        await self._send(data)

    async def _send(self, frame: str | bytes) -> None:
        try:
            await self._socket.send(frame)
        except ConnectionClosed as error:
            raise LinkGone from error

    async def end(self, ended: Ended) -> None:
        """Send the reason for the end and close. Never raises."""
        self._newest.clear()
        try:
            await self.say(ended)
        except LinkGone:
            return
        await self.close()

    async def cut(self, ended: Ended) -> None:
        """Send the reason if the browser still reads, and drop the connection. Releases waiting senders. Never
        raises.
        """
        try:
            async with asyncio.timeout(_CUT_S):
                await self.end(ended)
        except TimeoutError:
            pass
        self._socket.transport.abort()

    async def close(self) -> None:
        await self._socket.close()

    async def wait_closed(self) -> None:
        """Wait until the websocket is closed."""
        await self._socket.wait_closed()
