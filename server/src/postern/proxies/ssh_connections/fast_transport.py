"""A faster data path below the library's connections: the same bytes on the wire with fewer steps per packet.

Differences, which apply to AES-GCM only (everything else uses the library's generic code):
- no MSG_IGNORE before each packet (a defence for CBC modes, which are not offered here);
- one cipher object per key instead of one per packet;
- packets of one read are parsed in place, and data of one channel is delivered in one piece;
- packets caused by a small read, on any connection, are written together after the read was handled. Other packets are
  written together once per turn of the event loop.

Key exchange, sign-in, channel requests and all packets other than channel data use the generic code, one packet at a
time. Keys are looked up again whenever the library creates a new encryption object. `fast_transport_trial` tests at
start the library's private names that this relies on, and the version is pinned.
"""

import os
import time
from typing import Any, Final

import asyncssh
from asyncssh.channel import SSHChannel
from asyncssh.encryption import Encryption, GCMEncryption
from asyncssh.packet import SSHPacketLogger
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from postern.proxies.ssh_connections.transport import (
    PacedClientChannel,
    PacedConnection,
    PacedSocketChannel,
    PacedTunnelChannel,
)

#: The name by which a transport says that another SSH connection carries it (`get_extra_info`).
IS_TUNNEL: Final = "is_tunnel"
_LAST_KEX: Final = 49
_CHANNEL_DATA: Final = 94
_TAG: Final = 16
_BLOCK: Final = 16
_FLUSH_BYTES: Final = 128 * 1024
_SMALL_BYTES: Final = 4 * 1024
_FLOOD_BYTES: Final = 48 * 1024
_FLOOD_WINDOW_S: Final = 0.02
_FLOOD_REST_S: Final = 0.002
#: Padding of an authenticated, encrypted packet. It is never visible, so it need not be random each time.
_PADDING: Final = os.urandom(2 * _BLOCK)
_COUNTER_MASK: Final = 0xFFFFFFFFFFFFFFFF
_SEQUENCE_MASK: Final = 0xFFFFFFFF


class KeptGcm:
    """AES-GCM with one cipher object for the lifetime of a key. Replaces the library's object for that key."""

    __slots__ = ("_aes", "_counter", "_fixed")

    def __init__(self, key: bytes, iv: bytes) -> None:
        self._aes = AESGCM(key)
        self._fixed = iv[:4]
        self._counter = int.from_bytes(iv[4:], "big")

    def seal(self, header: bytes, packet: bytes) -> bytes:
        """Return the packet as sent on the wire, header first."""
        nonce = self._fixed + self._counter.to_bytes(8, "big")
        self._counter = (self._counter + 1) & _COUNTER_MASK
        return header + self._aes.encrypt(nonce, packet, header)

    def look(self, header: bytes, sealed: bytes) -> bytes:
        """Decrypt the next packet without advancing the counter. Raises InvalidTag."""
        return self._aes.decrypt(self._fixed + self._counter.to_bytes(8, "big"), sealed, header)

    def move_on(self) -> None:
        """Advance the counter past a decrypted packet."""
        self._counter = (self._counter + 1) & _COUNTER_MASK

    # Interface that the generic code calls

    def encrypt_and_sign(self, header: bytes, data: bytes) -> tuple[bytes, bytes]:
        sealed = self.seal(header, data)
        return sealed[:-_TAG], sealed[-_TAG:]

    def verify_and_decrypt(self, header: bytes, data: bytes, mac: bytes) -> bytes | None:
        try:
            return self.look(header, data + mac)
        except InvalidTag:
            return None
        finally:
            self.move_on()


def _keep(encryption: Encryption | None) -> KeptGcm | None:
    """Return our cipher object inside the library's encryption object. It is inserted first if that is for AES-GCM."""
    if not isinstance(encryption, GCMEncryption):
        return None
    cipher: Any = encryption._cipher  # noqa: SLF001 - the reason for this module
    if isinstance(cipher, KeptGcm):
        return cipher
    cipher_object = KeptGcm(cipher._key, cipher._iv)  # noqa: SLF001 - as above
    encryption._cipher = cipher_object  # type: ignore[assignment]  # noqa: SLF001 - it has the two methods that are called
    return cipher_object


#: Connections with packets to be written at the end of the current read; None outside a read. One event loop handles
#: one read at a time.
_departures: "list[FastConnection] | None" = None


class FastConnection(PacedConnection):
    """Mixed in before the library's client or server connection."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._outgoing: list[bytes] = []
        self._outgoing_bytes = 0
        self._sealed_for: Encryption | None = None
        self._sealer: KeptGcm | None = None
        self._opened_for: Encryption | None = None
        self._opener: KeptGcm | None = None
        self._batches_floods = False
        self._flood_since_s = 0.0
        self._flood_bytes = 0
        self._resting = False

    @property
    def is_fast(self) -> bool:
        """Whether packets in both directions have taken the fast path."""
        return self._sealer is not None and self._opener is not None

    def batch_floods(self, on: bool) -> None:
        """Set whether a flood is read in fewer, larger pieces. Suits terminals, whose output nobody reads that fast.

        A connection inside another connection never does. The server that carries it joins small packets already, and a rest
        would leave both ends waiting for each other (`bench/routes.py`: two thirds of the throughput).
        """
        is_inside = self._transport is not None and self._transport.get_extra_info(IS_TUNNEL, False)
        self._batches_floods = on and not is_inside

    # Sending

    def send_packet(self, pkttype: int, *args: bytes, handler: SSHPacketLogger | None = None) -> None:
        if (
            pkttype > _LAST_KEX
            and self._kex_complete
            and self._auth_complete
            and self._compressor is None
            and self._rekey_bytes_sent < self._rekey_bytes
            and (not self._rekey_seconds or time.monotonic() < self._rekey_time)
        ):
            if self._send_encryption is not self._sealed_for:
                self._sealed_for, self._sealer = self._send_encryption, _keep(self._send_encryption)
            if self._sealer is not None:
                self._put(self._sealer, bytes((pkttype,)) + b"".join(args))
                return
        super().send_packet(pkttype, *args, handler=handler)

    def _put(self, sealer: KeptGcm, payload: bytes) -> None:
        padding = -(1 + len(payload)) % _BLOCK
        if padding < 4:
            padding += _BLOCK
        length = 1 + len(payload) + padding
        packet = bytes((padding,)) + payload + _PADDING[:padding]
        self._send_seq = (self._send_seq + 1) & _SEQUENCE_MASK
        self._rekey_bytes_sent += length
        if not self._outgoing:
            if _departures is not None:
                _departures.append(self)
            else:
                self._loop.call_soon(self.flush)
        sealed = sealer.seal(length.to_bytes(4, "big"), packet)
        self._outgoing.append(sealed)
        self._outgoing_bytes += len(sealed)
        if self._outgoing_bytes >= _FLUSH_BYTES:
            self.flush()

    def _send(self, data: bytes) -> None:
        """Send data of the generic code after the waiting packets."""
        self._outgoing.append(data)
        self.flush()

    def flush(self) -> None:
        """Write all waiting packets."""
        if not self._outgoing:
            return
        data = self._outgoing[0] if len(self._outgoing) == 1 else b"".join(self._outgoing)
        self._outgoing.clear()
        self._outgoing_bytes = 0
        if self._transport is not None:
            try:  # noqa: SIM105 - three calls fewer between a key and its echo
                self._transport.write(data)
            except ConnectionError:
                pass  # `connection_lost` follows

    # Receiving

    def data_received(self, data: bytes, datatype: asyncssh.DataType = None) -> None:
        if self._recv_handler != self._recv_pkthdr or self._decompressor is not None or not self._auth_complete:
            super().data_received(data, datatype)
            return
        try:
            self._take_and_send(self._inpbuf + data if self._inpbuf else data)
            if self._batches_floods:
                self._rest_in_a_flood(len(data))
        except asyncssh.DisconnectError as error:
            self._send_disconnect(error.code, error.reason, error.lang)
            self._force_close(error)
        except Exception:  # noqa: BLE001 - as the generic code: a fault ends its own connection only, and is logged there
            self.internal_error()

    def _rest_in_a_flood(self, size: int) -> None:
        """After much input in a short time, let more input gather before the next read."""
        now_s = self._loop.time()
        if now_s - self._flood_since_s > _FLOOD_WINDOW_S:
            self._flood_since_s, self._flood_bytes = now_s, 0
        self._flood_bytes += size
        if self._flood_bytes > _FLOOD_BYTES and not self._resting and self._transport is not None:
            self._resting = True
            self._transport.pause_reading()
            self._loop.call_later(_FLOOD_REST_S, self._go_on_reading)

    def _go_on_reading(self) -> None:
        self._resting = False
        if self._transport is not None and not self.reading_held:
            self._transport.resume_reading()

    def _take_and_send(self, data: bytes) -> None:
        """Handle the data of one read. Packets caused by a small read are written immediately, without another loop
        turn.

        Keys and their echoes are small. The output of a flood is written one turn later, behind the keys of others.
        """
        global _departures  # noqa: PLW0603 - one event loop, as said there
        if _departures is not None or len(data) > _SMALL_BYTES:  # a nested read or a flood
            self._take(data)
            return
        departures: list[FastConnection] = []
        _departures = departures
        try:
            self._take(data)
        finally:
            try:
                # The list grows while it is walked: a connection through a tunnel writes to the one that carries it.
                for connection in departures:
                    connection.flush()
            finally:
                _departures = None

    def _take(self, data: bytes) -> None:  # noqa: C901 - one loop without helpers: calls cost most of an echo's time
        """Handle every complete packet in `data`. The rest stays in the input buffer.

        Data of one channel that arrived together is delivered in one piece.
        """
        self._inpbuf = b""
        position = 0
        end = len(data)
        gathered: FastChannel | None = None
        pieces: list[bytes] = []
        room = 0
        while end - position >= 4 + _TAG:
            opener = self._opener if self._recv_encryption is self._opened_for else self._current_opener()
            header = data[position : position + 4]
            following = position + 4 + int.from_bytes(header, "big") + _TAG
            if opener is None or following > end:
                break
            try:
                packet = opener.look(header, data[position + 4 : following])
            except InvalidTag:
                break  # the generic code fails in the same way and ends the connection
            channel = self._data_channel(packet)
            if channel is not gathered:
                if gathered is not None:
                    gathered.accept_pieces(pieces)
                    pieces = []
                gathered, room = channel, channel.receive_room() if channel is not None else 0
            piece = packet[10 : -packet[0]] if channel is not None else b""
            room -= len(piece)
            if channel is not None and room >= 0:
                pieces.append(piece)
                opener.move_on()
                self._recv_seq = (self._recv_seq + 1) & _SEQUENCE_MASK
            else:  # the generic code ends a connection whose peer exceeds the window
                if gathered is not None and pieces:
                    gathered.accept_pieces(pieces)
                gathered, pieces = None, []
                if not self._generic(data[position:following]):
                    self._inpbuf += data[following:]
                    return
            position = following
        if gathered is not None:
            gathered.accept_pieces(pieces)
        if position < end and self._transport is not None:
            self._rest(data[position:])

    def _current_opener(self) -> KeptGcm | None:
        if self._recv_encryption is not self._opened_for:
            self._opened_for, self._opener = self._recv_encryption, _keep(self._recv_encryption)
        return self._opener

    def _data_channel(self, packet: bytes) -> "FastChannel | None":
        """Return the channel of a well-formed data packet, or None to leave the packet to the generic code."""
        if packet[1] != _CHANNEL_DATA:
            return None
        channel = self._channels.get(int.from_bytes(packet[2:6], "big"))
        size = int.from_bytes(packet[6:10], "big")
        if isinstance(channel, FastChannel) and size and 10 + size + packet[0] == len(packet):
            return channel
        return None

    def _generic(self, packet: bytes) -> bool:
        """Let the generic code handle one packet. Returns False if it is not ready for the next packet, or the
        connection ended.
        """
        self._inpbuf = packet
        self._recv_data()
        return self._transport is not None and not self._inpbuf and self._recv_handler == self._recv_pkthdr

    def _rest(self, rest: bytes) -> None:
        """Keep an incomplete packet in the buffer, and pass anything else to the generic code."""
        length = int.from_bytes(rest[:4], "big")
        if self._current_opener() is not None and (
            len(rest) < 4 or (length <= self._max_recv_pktlen and len(rest) < 4 + length + _TAG)
        ):
            self._inpbuf = rest
        else:
            super().data_received(rest)


class FastChannel(SSHChannel[bytes]):
    """Mixed in before our client or server channel. Channel data that can be sent immediately is not copied."""

    def receive_room(self) -> int:
        """Return how many bytes the peer may still send; 0 after the end of its data."""
        return self._recv_window if self._recv_state == "open" else 0

    def accept_pieces(self, pieces: list[bytes]) -> None:
        """Accept data of one or more packets, in order."""
        data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        room = self._recv_window - len(data)
        if (
            not self._recv_paused
            and room >= self._init_recv_window / 2
            and self._send_state not in {"close_pending", "closed"}
            and self._session is not None
        ):
            self._recv_window = room
            self._session.data_received(data, None)
        else:
            self._accept_data(data)

    def write(self, data: bytes, datatype: asyncssh.DataType = None) -> None:
        connection = self._conn
        size = len(data)
        if (
            datatype is None
            and not self._send_buf
            and 0 < size <= self._send_window
            and self._send_state == "open"
            and isinstance(connection, FastConnection)
            and connection.can_send
            and self._send_chan is not None
        ):
            recipient = self._send_chan.to_bytes(4, "big")
            self._send_window -= size
            largest = self._send_pktsize
            if size <= largest:
                connection.send_packet(_CHANNEL_DATA, recipient, size.to_bytes(4, "big"), data)
                return
            for start in range(0, size, largest):
                piece = data[start : start + largest]
                connection.send_packet(_CHANNEL_DATA, recipient, len(piece).to_bytes(4, "big"), piece)
            return
        super().write(data, datatype)


class FastClientChannel(FastChannel, PacedClientChannel):
    """The proxy's side of a channel to a target."""


class FastTunnelChannel(FastChannel, PacedTunnelChannel):
    """The proxy's side of a connection that a server forwards."""


class FastSocketChannel(FastChannel, PacedSocketChannel):
    """The proxy's side of a connection to a Unix socket of a server."""
