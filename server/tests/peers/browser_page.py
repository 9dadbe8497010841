"""What the console's terminal does on its websocket to a proxy, without the browser."""

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any, Self
from uuid import UUID

from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.exceptions import ConnectionClosed

from postern.contracts.browser import LANGUAGE_HEADER, REMOTE_ADDR_HEADER, USER_HEADER


class BrowserPage:
    """Collects output and messages. `acknowledges` False: a page that does not draw. `reads` False: a stalled one."""

    def __init__(
        self, socket: Path, user_id: UUID, *, language: str = "en", acknowledges: bool = True, reads: bool = True
    ) -> None:
        self._path = socket
        self._headers = {
            USER_HEADER: str(user_id),
            REMOTE_ADDR_HEADER: "192.0.2.7",
            LANGUAGE_HEADER: language,
        }
        self._acknowledges = acknowledges
        self._reads = reads
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._picture_comes = False
        self.output = b""
        self.picture = b""
        self.received = 0
        self.messages: list[dict[str, Any]] = []
        self.closed = False

    async def __aenter__(self) -> Self:
        self._socket = await unix_connect(
            str(self._path), "ws://proxy/", additional_headers=self._headers, compression=None, max_size=None
        )
        if self._reads:
            self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)
        if self._socket is not None and not self.closed:
            self._socket.transport.abort()
            await self._socket.wait_closed()

    async def _read(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for frame in self.socket:
                if isinstance(frame, str):
                    message = json.loads(frame)
                    self.messages.append(message)
                    if message["type"] == "screen":
                        self._picture_comes = True
                        self.received = message["offset"]
                elif self._picture_comes:
                    self._picture_comes = False
                    self.picture = frame
                else:
                    self.output += frame
                    self.received += len(frame)
                    if self._acknowledges:
                        with contextlib.suppress(ConnectionClosed):  # a browser says nothing about it either
                            await self.say(type="ack", received=self.received)
                self._changed.set()
        self.closed = True
        self._changed.set()

    @property
    def socket(self) -> ClientConnection:
        assert self._socket is not None
        return self._socket

    async def say(self, **message: Any) -> None:
        await self.socket.send(json.dumps(message))

    async def type(self, data: bytes) -> None:
        await self.socket.send(data)

    async def until(self, condition: Any, seconds: float = 60.0) -> Any:
        """Wait for `condition()`; gives its value."""
        try:
            async with asyncio.timeout(seconds):
                while not (value := condition()):
                    self._changed.clear()
                    await self._changed.wait()
                return value
        except TimeoutError:
            raise AssertionError(f"never came: {self.messages[-5:]} {self.output[-300:]!r}") from None

    async def message(self, kind: str, seconds: float = 60.0) -> dict[str, Any]:
        """The first message of a kind."""
        value: dict[str, Any] = await self.until(
            lambda: next((message for message in self.messages if message["type"] == kind), None), seconds
        )
        return value

    async def shows(self, data: bytes, seconds: float = 60.0) -> None:
        await self.until(lambda: data in self.output, seconds)
