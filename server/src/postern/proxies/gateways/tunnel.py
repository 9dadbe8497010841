"""`Tunnel`: a forwarded connection of a gateway as an asyncio transport."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

import asyncssh

from postern.proxies.ssh_connections.fast_transport import IS_TUNNEL, FastConnection, FastTunnelChannel
from postern.proxies.ssh_connections.sign_in import ServerLink
from postern.proxies.ssh_connections.transport import PacedTunnelChannel

ProtocolT = TypeVar("ProtocolT", bound=asyncio.Protocol)

_WINDOW: Final = 2 * 1024 * 1024
_MAX_PACKET: Final = 32768


class Tunnel(asyncio.Transport, asyncssh.SSHTCPSession[bytes]):
    """The transport of one protocol, and the library's session of the channel that carries it.

    Nothing is read before a protocol is connected. The channel's window is the bound of what waits for a protocol that
    has paused, so one protocol does not hold up others on the same gateway.
    """

    def __init__(self, link: ServerLink, *, goodbye_s: float) -> None:
        super().__init__()
        self._link = link
        self._goodbye_s = goodbye_s
        self._channel: PacedTunnelChannel | None = None
        self._protocol: asyncio.BaseProtocol | None = None
        self._is_paused = False
        self._is_closing = False
        self._has_ended = False
        self._farewell: asyncio.TimerHandle | None = None
        #: Called once, before the protocol learns that its connection is lost.
        self.on_end: Callable[[Exception | None], None] = lambda _error: None

    @classmethod
    async def open(cls, link: ServerLink, host: str, port: int, *, goodbye_s: float) -> "Tunnel":
        """Let the server of `link` connect to `host`. Raises `asyncssh.ChannelOpenError`."""
        kind = FastTunnelChannel if isinstance(link, FastConnection) else PacedTunnelChannel
        channel = kind(link, asyncio.get_running_loop(), None, "strict", _WINDOW, _MAX_PACKET)
        tunnel = cls(link, goodbye_s=goodbye_s)
        await channel.connect(lambda: tunnel, host, port, "127.0.0.1", 0)
        return tunnel

    @property
    def ended_by_us(self) -> bool:
        return self._is_closing

    def start(self, factory: Callable[[], ProtocolT]) -> ProtocolT:
        """Connect the protocol. Raises ConnectionError if the connection is over."""
        if self._channel is None or self._has_ended or self._is_closing:
            raise ConnectionError("the connection through the gateway is closed")
        protocol = factory()
        self._protocol = protocol
        protocol.connection_made(self)
        asyncio.get_running_loop().call_soon(self._read_on)
        return protocol

    # The library's session

    def connection_made(self, chan: PacedTunnelChannel) -> None:  # type: ignore[override]  # always ours
        self._channel = chan

    def session_started(self) -> None:
        # Paused until a protocol is connected.
        if self._channel is not None:
            self._channel.pause_reading()

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:  # noqa: ARG002 - the library calls it so
        if isinstance(self._protocol, asyncio.Protocol) and not self._is_closing:
            self._protocol.data_received(data)

    def eof_received(self) -> bool:
        if isinstance(self._protocol, asyncio.Protocol) and not self._is_closing:
            stays_open = self._protocol.eof_received()
            if not stays_open:
                self.close()
        return True  # this direction is closed by `close` or `write_eof`

    def pause_writing(self) -> None:
        if isinstance(self._protocol, asyncio.Protocol):
            self._protocol.pause_writing()

    def resume_writing(self) -> None:
        if isinstance(self._protocol, asyncio.Protocol):
            self._protocol.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(exc)

    # The transport

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return only whether it is a tunnel. It has no socket of its own."""
        return True if name == IS_TUNNEL else default

    def get_protocol(self) -> asyncio.BaseProtocol:
        if self._protocol is None:
            raise RuntimeError("no protocol is connected")
        return self._protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol

    def is_reading(self) -> bool:
        return not self._is_paused and not self._is_closing

    def pause_reading(self) -> None:
        self._is_paused = True
        if self._channel is not None:
            self._channel.pause_reading()

    def resume_reading(self) -> None:
        """Read on in the next turn of the loop: no protocol expects data before this returns, and a `StreamReader`
        would miss it.
        """
        if self._is_paused:
            self._is_paused = False
            asyncio.get_running_loop().call_soon(self._read_on)

    def _read_on(self) -> None:
        if self._channel is not None and not self._is_paused and not self._is_closing:
            self._channel.resume_reading()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._channel is not None and not self._is_closing and data:
            try:
                self._channel.write(bytes(data))
            except OSError:
                return  # closing: `connection_lost` follows

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        self.write(b"".join(list_of_data))

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        if self._channel is not None and not self._is_closing:
            self._channel.write_eof()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        if self._channel is not None:
            self._channel.set_write_buffer_limits(high, low)

    def get_write_buffer_size(self) -> int:
        return self._channel.get_write_buffer_size() if self._channel is not None else 0

    def is_closing(self) -> bool:
        return self._is_closing or self._has_ended

    def close(self) -> None:
        """Close after the written data was sent, or after `goodbye_s`."""
        if self._is_closing or self._has_ended:
            return
        self._is_closing = True
        channel = self._channel
        if channel is None or self._link.is_gone:
            self.abort()
            return
        channel.close()
        self._farewell = asyncio.get_running_loop().call_later(self._goodbye_s, self.abort)

    def abort(self) -> None:
        if self._has_ended:
            return
        self._is_closing = True
        if self._channel is not None:
            self._channel.abort()
        asyncio.get_running_loop().call_soon(self._end, None)

    def _end(self, error: Exception | None) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        self._channel = None
        if self._farewell is not None:
            self._farewell.cancel()
        self.on_end(error)
        protocol, self._protocol = self._protocol, None
        if protocol is not None:
            protocol.connection_lost(error)
