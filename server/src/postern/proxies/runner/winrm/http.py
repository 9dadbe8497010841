"""One connection of HTTP/1.1, request after request."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import h11

from postern.proxies.runner.winrm.byte_streams import ByteStream

#: Windows limits an envelope to 500 KB unless an administrator raises it. Sealing adds little.
MAX_BODY_BYTES: Final = 1024 * 1024
_MAX_HEAD_BYTES: Final = 32 * 1024


class HttpError(Exception):
    """What answers does not speak HTTP, or ends in the middle."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer. Names of headers are in small letters."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def all(self, name: str) -> list[str]:
        """All values of a header."""
        return [value for key, value in self.headers if key == name]

    def one(self, name: str) -> str:
        """The value of a header, or ""."""
        return next(iter(self.all(name)), "")


class HttpConnection:
    """Sends one request at a time."""

    def __init__(self, stream: ByteStream, host: str, path: str) -> None:
        self._stream = stream
        self._host = host
        self._path = path
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MAX_HEAD_BYTES)

    async def post(self, headers: Mapping[str, str], body: bytes, *, timeout_s: float) -> Reply:
        """Send a request and return the answer. Raises HttpError, OSError."""
        sent = [
            ("Host", self._host), ("User-Agent", "Postern"), ("Content-Length", str(len(body))), *headers.items(),
        ]  # fmt: skip
        try:
            async with asyncio.timeout(timeout_s):
                await self._send(h11.Request(method="POST", target=self._path, headers=sent), body)
                reply = await self._receive()
        except (h11.ProtocolError, UnicodeError) as error:
            raise HttpError(str(error)) from error
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        return reply

    @property
    def is_open(self) -> bool:
        """Whether another request may be sent."""
        return self._http.our_state is h11.IDLE

    def close(self) -> None:
        """Close the connection at once."""
        self._stream.close()

    async def _send(self, request: h11.Request, body: bytes) -> None:
        parts = [self._http.send(request), self._http.send(h11.Data(body)) if body else b""]
        parts.append(self._http.send(h11.EndOfMessage()))
        await self._stream.write(b"".join(part or b"" for part in parts))

    async def _receive(self) -> Reply:
        answer: h11.Response | None = None
        body = bytearray()
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                self._http.receive_data(await self._stream.read())
            elif isinstance(event, h11.Response):
                answer = event
            elif isinstance(event, h11.Data):
                body += event.data
                if len(body) > MAX_BODY_BYTES:
                    raise HttpError("the answer is too long")
            elif isinstance(event, h11.EndOfMessage) and answer is not None:
                headers = tuple((name.decode("ascii"), value.decode("latin-1")) for name, value in answer.headers)
                return Reply(answer.status_code, headers, bytes(body))
            elif event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                raise HttpError("the connection ended in the middle")
