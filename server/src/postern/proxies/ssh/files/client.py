"""A client of SFTP version 3 (draft-ietf-secsh-filexfer-02): sends requests, and gives each its answer.

It is the `Front` of a relay, so everything passes the inspector as with a person's client.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.sftp_packets import MAX_PACKET, Malformed, Packet

_VERSION: Final = 3
#: Ids of requests. The inspector's own begin at the other end.
_MAX_ID: Final = 0x7FFFFFFF
#: What every host takes in one packet, and what the limit of the inspector permits.
USUAL_BYTES: Final = 32 * 1024
_MOST_BYTES: Final = 255 * 1024
_LIMITS: Final = b"limits@openssh.com"


class Gone(Exception):
    """There is no host any more that could answer."""


class SftpClient:
    """One SFTP session. `broken` is told what is wrong with the host's answers."""

    def __init__(self, broken: Callable[[str], None]) -> None:
        self._send: Callable[[bytes], None] = lambda _data: None
        self._broken = broken
        self._received = bytearray()
        self._answers: dict[int, asyncio.Future[Packet]] = {}
        self._last_id = 0
        self._version: asyncio.Future[Packet] | None = None
        self._extensions: frozenset[bytes] = frozenset()
        self._is_over = False
        self._may_send = asyncio.Event()
        self._may_send.set()
        #: The largest WRITE that the host takes, in bytes of the file.
        self.write_bytes = USUAL_BYTES

    def join(self, send: Callable[[bytes], None]) -> None:
        """Set what carries bytes towards the host: a relay, whose front this client is."""
        self._send = send

    def offers(self, extension: bytes) -> bool:
        """Whether the host has announced this extension."""
        return extension in self._extensions

    async def begin(self) -> None:
        """Agree on the version, and learn the host's limits. Raises `Gone`, `Malformed`."""
        self._version = asyncio.get_running_loop().create_future()
        self._send((5).to_bytes(4, "big") + bytes([sftp.INIT]) + _VERSION.to_bytes(4, "big"))
        if self._is_over:
            raise Gone
        packet = await self._version
        at, extensions = 4, set()
        while at < len(packet.body):
            name, at = packet.string(at)
            _, at = packet.string(at)
            extensions.add(name)
        self._extensions = frozenset(extensions)
        if self.offers(_LIMITS):
            answer = await self.ask(sftp.EXTENDED, _LIMITS)
            if answer.type == sftp.EXTENDED_REPLY and len(answer.body) >= 4 + 24:
                most = answer.number(20) << 32 | answer.number(24)
                self.write_bytes = min(max(most, USUAL_BYTES), _MOST_BYTES) if most else USUAL_BYTES

    # Requests

    def next_id(self) -> int:
        """Reserve the id of a request that is sent later with `number`."""
        while True:
            self._last_id = self._last_id + 1 if self._last_id < _MAX_ID else 1
            if self._last_id not in self._answers:
                return self._last_id

    def put(self, kind: int, *strings: bytes, tail: bytes = b"", number: int | None = None) -> asyncio.Future[Packet]:
        """Send a request of these strings, followed by `tail`. The future has the answer, or the exception `Gone`."""
        request_id = self.next_id() if number is None else number
        answer: asyncio.Future[Packet] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(_retrieve)
        if self._is_over:
            answer.set_exception(Gone())
            return answer
        self._answers[request_id] = answer
        self._send(sftp.request(kind, request_id, strings, tail))
        return answer

    def put_data(self, handle: bytes, offset: int, data: memoryview) -> asyncio.Future[Packet]:
        """Send a WRITE request. Call it when `writable` has returned."""
        tail = offset.to_bytes(8, "big") + len(data).to_bytes(4, "big")
        return self.put(sftp.WRITE, handle, tail=tail + data)

    async def ask(self, kind: int, *strings: bytes, tail: bytes = b"", number: int | None = None) -> Packet:
        """Send a request and return its answer. Raises `Gone`."""
        return await self.put(kind, *strings, tail=tail, number=number)

    async def writable(self) -> None:
        """Wait until the host keeps up with what was sent."""
        await self._may_send.wait()

    # The front of a relay

    def send(self, data: bytes, *, stderr: bool = False) -> None:
        """Take bytes of the host, or of the inspector in its place."""
        if stderr or self._is_over:
            return
        self._received += data
        try:
            while (packet := self._cut()) is not None:
                self._take(packet)
        except Malformed as error:
            self.gone()
            self._broken(str(error))

    def _cut(self) -> Packet | None:
        """Return the next whole packet. Raises `Malformed`."""
        received = self._received
        if len(received) < 5:
            return None
        length = int.from_bytes(received[:4], "big") + 4
        if not 5 <= length <= MAX_PACKET:
            raise Malformed(f"a packet of {length} bytes")
        if len(received) < length:
            return None
        with memoryview(received) as view:
            body = bytes(view[5:length])
        packet = Packet(received[4], body, length)
        del received[:length]
        return packet

    def _take(self, packet: Packet) -> None:
        if packet.type == sftp.VERSION:
            if self._version is not None and not self._version.done():
                self._version.set_result(packet)
            return
        answer = self._answers.pop(packet.request_id, None)
        if answer is not None and not answer.done():
            answer.set_result(packet)

    def send_eof(self) -> None:
        """The host says nothing more."""
        self.gone()

    def notice(self, text: str, *, only_terminal: bool) -> None:
        """Do nothing: notices reach the page by its own link."""

    def pause(self) -> None:
        self._may_send.clear()

    def resume(self) -> None:
        self._may_send.set()

    def gone(self) -> None:
        """Fail everything that waits. Idempotent."""
        self._is_over = True
        self._may_send.set()
        if self._version is not None and not self._version.done():
            self._version.set_exception(Gone())
        answers, self._answers = self._answers, {}
        for answer in answers.values():
            if not answer.done():
                answer.set_exception(Gone())


def _retrieve(answer: "asyncio.Future[Packet]") -> None:
    """Take note of a failure that nobody waits for any more."""
    if not answer.cancelled():
        answer.exception()
