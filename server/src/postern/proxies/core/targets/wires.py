"""`Wire`: an open connection to a target, for one protocol to speak over, whatever carries it."""

import asyncio
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

ProtocolT = TypeVar("ProtocolT", bound=asyncio.Protocol)

#: Called once if a gateway on the way is lost: the message for the user, and the detail for the audit log.
OnLost = Callable[[str, str], None]


class Wire(ABC):
    """A connection that is attached to one protocol, once. Either `close` it or close the transport.

    Back-pressure is that of asyncio: the transport calls `pause_writing` and `resume_writing` of the protocol, and the
    protocol `pause_reading` and `resume_reading` of the transport. Nothing is read before the protocol is attached.
    """

    #: The gateways on the way, from the proxy to the target ("edge → inner"). "" for a direct connection.
    via: str = ""

    @abstractmethod
    async def attach(self, factory: Callable[[], ProtocolT]) -> tuple[asyncio.Transport, ProtocolT]:
        """Connect a protocol, and return it with its transport. Raises OSError."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection at once. Idempotent. Has no effect on a direct connection that is attached: its
        transport owns it then.
        """

    def on_lost(self, callback: OnLost) -> None:  # noqa: B027 - only a way through gateways can lose one
        """Register a callback for the loss of a gateway. It is called at once if one is lost already, and before the
        protocol learns that its connection is lost.
        """

    async def streams(self, *, limit: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Attach a pair of streams. `limit` is the longest line in bytes, and half of what is buffered."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=limit, loop=loop)
        transport, protocol = await self.attach(lambda: asyncio.StreamReaderProtocol(reader, loop=loop))
        return reader, asyncio.StreamWriter(transport, protocol, reader, loop)


class SocketWire(Wire):
    """A direct connection."""

    def __init__(self, connection: socket.socket) -> None:
        """`connection` is connected and does not block."""
        self._connection: socket.socket | None = connection

    async def attach(self, factory: Callable[[], ProtocolT]) -> tuple[asyncio.Transport, ProtocolT]:
        connection = self._connection
        if connection is None:
            raise ConnectionError("the connection is closed")
        transport, protocol = await asyncio.get_running_loop().create_connection(factory, sock=connection)
        self._connection = None
        return transport, protocol

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
