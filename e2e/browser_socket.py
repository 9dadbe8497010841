"""A browser's websocket to a session without a browser: speaks the console's frames."""

import asyncio
import contextlib
import json
from typing import Any, Self

from product import Api
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed


class BrowserSocket:
    """Collects output and messages, and sends keys."""

    def __init__(self, api: Api, path: str) -> None:
        self._api = api
        self._path = path
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self.output = b""
        self.received = 0
        self.messages: list[dict[str, Any]] = []
        self._picture = False
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self._api.cookies)
        self._socket = await connect(
            self._api.url.replace("http", "ws", 1) + self._path,
            additional_headers={"Cookie": cookies, "Origin": self._api.url},
            compression=None,
            max_size=None,
            proxy=None,
        )
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)
        if self._socket is not None:
            await self._socket.close()

    async def _read(self) -> None:
        assert self._socket is not None
        async for frame in self._socket:
            if isinstance(frame, str):
                message = json.loads(frame)
                self.messages.append(message)
                if message["type"] == "screen":
                    self._picture = True
                    self.received = message["offset"]
            else:
                self.output += frame
                if self._picture:
                    self._picture = False
                else:
                    self.received += len(frame)
                    # The other side may have closed already. Its earlier messages can still be read.
                    with contextlib.suppress(ConnectionClosed):
                        await self.say(type="ack", received=self.received)
            self._changed.set()

    async def say(self, **message: Any) -> None:
        assert self._socket is not None
        await self._socket.send(json.dumps(message))

    async def type(self, text: str) -> None:
        assert self._socket is not None
        await self._socket.send(text.encode())

    async def until(self, condition: Any, seconds: float = 60.0) -> Any:
        """Wait for `condition(self)` and return its value."""
        try:
            async with asyncio.timeout(seconds):
                while not (value := condition(self)):
                    self._changed.clear()
                    await self._changed.wait()
                return value
        except TimeoutError:
            raise AssertionError(f"never came: {self.messages[-5:]} {self.output[-500:]!r}") from None

    async def message(self, kind: str, seconds: float = 60.0) -> dict[str, Any]:
        """Wait for the first message of a kind."""

        def found(_: Self) -> dict[str, Any] | None:
            return next((message for message in self.messages if message["type"] == kind), None)

        value: dict[str, Any] = await self.until(found, seconds)
        return value

    async def shows(self, text: str, seconds: float = 60.0) -> None:
        await self.until(lambda _: text.encode() in self.output, seconds)
