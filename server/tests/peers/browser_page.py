"""The websocket client of the console's terminal, without a browser."""

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any, Self
from uuid import UUID

from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.exceptions import ConnectionClosed

from postern.contracts.browser import LANGUAGE_HEADER, REMOTE_ADDR_HEADER, USER_HEADER

#: As large as the frames of the console (`console/src/islands/terminal/input-sender.ts`).
PIECE_BYTES = 32 * 1024


class BrowserPage:
    """Collects output and messages.

    `acknowledges=False` is a page that does not render. `reads=False` is a stalled page. `counts_input=False` is a page
    of an older release, which sends its input without waiting for credit.
    """

    def __init__(
        self,
        socket: Path,
        user_id: UUID,
        *,
        language: str = "en",
        acknowledges: bool = True,
        reads: bool = True,
        counts_input: bool = True,
    ) -> None:
        self._path = socket
        self._headers = {
            USER_HEADER: str(user_id),
            REMOTE_ADDR_HEADER: "192.0.2.7",
            LANGUAGE_HEADER: language,
        }
        self._acknowledges = acknowledges
        self._reads = reads
        self._counts_input = counts_input
        #: Total input in bytes: sent so far, and allowed so far. `input_until` is None before the proxy has granted
        #: credit.
        self.input_sent = 0
        self.input_until: int | None = None
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
                    self.input_sent = message.get("input_received", self.input_sent)
                    self.input_until = message.get("input_until", message.get("until", self.input_until))
                elif self._picture_comes:
                    self._picture_comes = False
                    self.picture = frame
                else:
                    self.output += frame
                    self.received += len(frame)
                    if self._acknowledges:
                        with contextlib.suppress(ConnectionClosed):  # a browser ignores a closed socket here as well
                            await self.say(type="ack", received=self.received)
                self._changed.set()
        self.closed = True
        self._changed.set()

    @property
    def socket(self) -> ClientConnection:
        assert self._socket is not None
        return self._socket

    async def say(self, **message: Any) -> None:
        if self._counts_input and message.get("type") in {"open", "resume"}:
            message["counts_input"] = True
        await self.socket.send(json.dumps(message))

    async def type(self, data: bytes) -> None:
        """Send input in pieces, each as large as the credit allows."""
        if not self._counts_input or self.input_until is None:
            await self.socket.send(data)
            return
        while data:
            room: int = await self.until(lambda: (self.input_until or 0) - self.input_sent, 200)
            piece, data = data[: min(room, PIECE_BYTES)], data[min(room, PIECE_BYTES) :]
            self.input_sent += len(piece)
            await self.socket.send(piece)

    async def until(self, condition: Any, seconds: float = 60.0) -> Any:
        """Wait until `condition()` is true, and return its value."""
        try:
            async with asyncio.timeout(seconds):
                while not (value := condition()):
                    self._changed.clear()
                    await self._changed.wait()
                return value
        except TimeoutError:
            raise AssertionError(f"never came: {self.messages[-5:]} {self.output[-300:]!r}") from None

    async def message(self, kind: str, seconds: float = 60.0) -> dict[str, Any]:
        """Wait for the first message of this kind."""
        value: dict[str, Any] = await self.until(
            lambda: next((message for message in self.messages if message["type"] == kind), None), seconds
        )
        return value

    async def shows(self, data: bytes, seconds: float = 60.0) -> None:
        await self.until(lambda: data in self.output, seconds)
