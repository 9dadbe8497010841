"""Connections and channels with the back-pressure that the library lacks.

`asyncssh` ignores the transport's request to pause. A peer that grants a huge window and stops reading would make it
buffer everything. Here a channel keeps its data while its connection cannot send (transport full, or key exchange in
progress), so its own high-water mark pauses the other leg. A connection also stops reading while its peer sends faster
than packets can be handled. All uses of the library's private names are in this module and in `fast_transport`; the
version is pinned.
"""

import asyncio
import logging
import sys
from collections.abc import Callable
from typing import Any, Final

import asyncssh
from asyncssh.channel import SSHChannel, SSHClientChannel, SSHServerChannel, SSHTCPChannel, SSHUNIXChannel
from asyncssh.connection import SSHConnection
from asyncssh.logging import SSHLogger
from asyncssh.misc import OptExcInfo
from asyncssh.packet import SSHPacket

from postern.kernel.clock import monotonic_s

log = logging.getLogger(__name__)

_MSG_KEXINIT: Final = 20
_KEEPALIVE: Final = b"keepalive@openssh.com"
#: A peer may request this many key exchanges at once, and then one per this many seconds. Each costs some milliseconds
#: of the event loop. Normal peers request one per gigabyte or hour.
_KEY_EXCHANGES_AT_ONCE: Final = 20
_KEY_EXCHANGE_EACH_S: Final = 1.0
#: With more unhandled input than this, reading stops. A packet has at most about 35 KB.
MAX_UNHANDLED_BYTES: Final = 256 * 1024
#: Pieces up to this size are joined while they wait for their reader.
_SMALL_PIECE: Final = 4096


class PacedConnection(SSHConnection):
    """A connection with back-pressure. Mixed in before the library's client or server class."""

    writing_held = False
    reading_held = False
    #: When the key exchanges that the peer has requested would be over, one after the other.
    _exchanging_until_s = 0.0

    @property
    def is_gone(self) -> bool:
        """Whether the connection is lost or closed. True before its channels are notified."""
        return self._transport is None

    @property
    def can_send(self) -> bool:
        """Whether channel data may be sent now."""
        return not self.writing_held and self._kex_complete

    def internal_error(self, exc_info: OptExcInfo | None = None, error_logger: SSHLogger | None = None) -> None:
        """Log an error in handling a packet, which ends this connection. The library writes only to its debug log.

        Before sign-in the cause is most likely malformed input of a stranger, which is worth one line only.
        """
        fault = exc_info or sys.exc_info()
        if self._auth_complete:
            log.error("a connection with %s failed", self._peer_addr, exc_info=fault)
        else:
            log.info("the handshake with %s failed: %r", self._peer_addr, fault[1])
        super().internal_error(exc_info, error_logger)

    async def _process_kexinit(self, pkttype: int, pktid: int, packet: SSHPacket) -> None:
        """Handle a KEXINIT that may be followed by a guessed first packet of the key exchange (RFC 4253, section 7).

        The guess counts as wrong, and that packet is dropped, unless both sides prefer the same key exchange and the
        same host key type. The library accepts any guess that names the finally chosen key exchange. The packet that
        the peer then sends again (as dropbear does) would reach a finished exchange.
        """
        if self._session_id and not self._kexinit_sent:
            await self._let_exchange()
            if self._transport is None:  # the connection was closed meanwhile
                return
        again = SSHPacket(packet.get_full_payload())
        again.get_bytes(1 + 16)  # type and cookie
        peer_algorithms = [again.get_namelist()[:1], again.get_namelist()[:1]]
        for _ in range(8):
            again.get_namelist()
        guessed = again.get_boolean()
        await super()._process_kexinit(pkttype, pktid, packet)
        ours = [list(self._kex_algs[:1]), list((self._server_host_key_algs or ())[:1])]
        self._ignore_first_kex = guessed and peer_algorithms != ours

    async def _let_exchange(self) -> None:
        """Wait for the peer's turn to exchange keys. Refused before sign-in, when nobody needs new keys."""
        if not self._auth_complete:
            raise asyncssh.ProtocolError("new keys before the sign-in")
        now_s = monotonic_s()
        self._exchanging_until_s = max(self._exchanging_until_s, now_s) + _KEY_EXCHANGE_EACH_S
        early_s = self._exchanging_until_s - now_s - _KEY_EXCHANGES_AT_ONCE * _KEY_EXCHANGE_EACH_S
        if early_s > 0:
            await asyncio.sleep(early_s)

    _packet_handlers = {**SSHConnection._packet_handlers, _MSG_KEXINIT: _process_kexinit}  # noqa: SLF001 - its base

    def fence(self, reached: Callable[[], None]) -> bool:
        """Call `reached` when the peer has handled everything sent before. Returns False if the connection is closed.

        Peers handle messages in order, and answer a request that they do not know too (RFC 4254, section 4).
        """
        if self._transport is None:
            return False
        answer: asyncio.Future[Any] = self._loop.create_future()
        answer.add_done_callback(lambda done: None if done.cancelled() else reached())
        self._global_request_waiters.append(answer)
        self._send_global_request(_KEEPALIVE, want_reply=True)
        return True

    def pause_writing(self) -> None:
        self.writing_held = True

    def resume_writing(self) -> None:
        self.writing_held = False
        self._flush_channels()

    def _flush_channels(self) -> None:
        for channel in list(self._channels.values()):
            if isinstance(channel, PacedChannel):
                channel.flush_held()

    def _send_deferred_packets(self) -> None:
        super()._send_deferred_packets()
        if self._auth_complete:
            self._flush_channels()

    def data_received(self, data: bytes, datatype: asyncssh.DataType = None) -> None:
        super().data_received(data, datatype)
        if len(self._inpbuf) > MAX_UNHANDLED_BYTES and not self.reading_held and self._transport is not None:
            self.reading_held = True
            self._transport.pause_reading()

    def _finish_recv_packet(
        self,
        pkttype: int,
        seq: int,
        _task: asyncio.Task[Any] | None = None,
        is_async: bool = False,
    ) -> None:
        super()._finish_recv_packet(pkttype, seq, _task, is_async)
        if self.reading_held and len(self._inpbuf) <= MAX_UNHANDLED_BYTES and self._transport is not None:
            self.reading_held = False
            self._transport.resume_reading()


class PacedChannel(SSHChannel[bytes]):
    """A channel that keeps its data while its connection cannot send, and limits its peer to one window.

    Mixed in before the library's client or server class.
    """

    def flush_held(self) -> None:
        """Send the buffered data. Called when the connection can send again."""
        if self._session is not None:
            self._flush_send_buf()

    def _flush_send_buf(self) -> None:
        if isinstance(self._conn, PacedConnection) and not self._conn.can_send:
            self._pause_resume_writing()
        else:
            super()._flush_send_buf()

    def _accept_data(self, data: bytes, datatype: asyncssh.DataType = None) -> None:
        """Accept data. Small pieces that wait for a paused reader are joined.

        A peer may send a window of packets with one byte each. As millions of objects they would take a hundred times
        their size, and much longer to deliver.
        """
        super()._accept_data(data, datatype)
        waiting = self._recv_buf
        while len(waiting) > 1 and waiting[-2][1] == waiting[-1][1]:
            before, last = waiting[-2][0], waiting[-1][0]
            if len(before) > min(_SMALL_PIECE, 2 * len(last)):
                break
            waiting[-2:] = [(before + last, datatype)]

    def _deliver_data(self, data: bytes, datatype: asyncssh.DataType) -> None:
        """Deliver one piece without granting more than the window.

        The library would grant the whole window again, regardless of data that still waits. A reader that repeatedly
        takes a little and pauses would let its peer send a window each time.
        """
        waiting = sum(len(piece) for piece, _datatype in self._recv_buf)
        self._recv_window += waiting
        try:
            super()._deliver_data(data, datatype)
        finally:
            self._recv_window -= waiting


class PacedClientChannel(PacedChannel, SSHClientChannel[bytes]):
    """The proxy's side of a channel to a target."""


class PacedServerChannel(PacedChannel, SSHServerChannel[bytes]):
    """The proxy's side of a channel to a user."""


class PacedTunnelChannel(PacedChannel, SSHTCPChannel[bytes]):
    """The proxy's side of a connection that a server forwards."""


class PacedSocketChannel(PacedChannel, SSHUNIXChannel[bytes]):
    """The proxy's side of a connection to a Unix socket of a server."""


#: A forwarded connection.
PacedForwardChannel = PacedTunnelChannel | PacedSocketChannel
