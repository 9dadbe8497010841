"""Bytes to and from a directory server, with or without TLS.

TLS runs in memory over the same socket, so it is certain which bytes came before it: bytes that a stranger put behind the
answer to StartTLS would otherwise be read as if they were encrypted (CVE-2011-0411).
"""

import asyncio
import socket
import ssl
from typing import Final

_CHUNK: Final = 65_536


class ConnectionLost(Exception):
    """The server closed the connection."""


class UnexpectedBytes(Exception):
    """Bytes wait before TLS has begun."""


class Wire:
    """A connected socket. Reads only what is asked for, so a flood waits in the kernel."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._tls: ssl.SSLObject | None = None
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()

    async def write(self, data: bytes) -> None:
        """Send all of `data`."""
        if self._tls is None:
            await self._loop.sock_sendall(self._socket, data)
            return
        self._tls.write(data)
        await self._flush()

    async def read(self, size: int) -> bytes:
        """Exactly `size` bytes. Raises ConnectionLost."""
        while len(self._buffer) < size:
            self._buffer += await self._more()
        data = bytes(memoryview(self._buffer)[:size])
        del self._buffer[:size]
        return data

    async def start_tls(self, context: ssl.SSLContext, host: str) -> None:
        """Begin TLS and verify the certificate for `host`. Raises ssl.SSLError, ConnectionLost, UnexpectedBytes."""
        if self._buffer:
            raise UnexpectedBytes
        tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                await self._flush()
                self._incoming.write(await self._received())
            except ssl.SSLError:
                await self._flush()  # the alert tells the server why
                raise
        await self._flush()
        self._tls = tls

    async def _more(self) -> bytes:
        if self._tls is None:
            return await self._received()
        while True:
            try:
                data = self._tls.read(_CHUNK)
            except ssl.SSLWantReadError:
                await self._flush()
                self._incoming.write(await self._received())
                continue
            except ssl.SSLZeroReturnError:
                raise ConnectionLost from None
            if not data:
                raise ConnectionLost
            return data

    async def _received(self) -> bytes:
        data = await self._loop.sock_recv(self._socket, _CHUNK)
        if not data:
            raise ConnectionLost
        return data

    async def _flush(self) -> None:
        data = self._outgoing.read()
        if data:
            await self._loop.sock_sendall(self._socket, data)
