"""A file of an SFTP host that is read, with many requests in flight."""

import asyncio
import hashlib
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final, Protocol

from postern.contracts.enums import Actions
from postern.contracts.files import FileProblem
from postern.proxies.core.targets.files import Attributes
from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.files.client import USUAL_BYTES, Gone, SftpClient
from postern.proxies.ssh.files.failures import Failures
from postern.proxies.ssh.files.texts import Text
from postern.proxies.ssh.sftp_packets import Packet

#: Requests in flight: 2 MiB. Larger requests are not quicker.
_AHEAD: Final = 64
#: Pieces are joined up to this size, because each costs its receiver a call.
_PIECE_BYTES: Final = 256 * 1024


async def stretch(
    client: SftpClient, failures: Failures, handle: bytes, offset: int, size: int
) -> AsyncGenerator[bytes]:
    """Yield a part of an open file in order; less if it ends before. Raises `FilesFailed`."""
    asked, end = offset, offset + size
    waiting: deque[tuple[int, int, asyncio.Future[Packet]]] = deque()

    def ask(at: int, count: int) -> asyncio.Future[Packet]:
        return client.put(sftp.READ, handle, tail=at.to_bytes(8, "big") + count.to_bytes(4, "big"))

    piece: list[bytes] = []
    gathered = 0
    while asked < end or waiting:
        while asked < end and len(waiting) < _AHEAD:
            count = min(USUAL_BYTES, end - asked)
            waiting.append((asked, count, ask(asked, count)))
            asked += count
        at, count, future = waiting.popleft()
        if piece and (gathered >= _PIECE_BYTES or not future.done()):
            yield b"".join(piece)
            piece, gathered = [], 0
        try:
            answer = await future
        except Gone:
            raise failures.over() from None
        if answer.type == sftp.STATUS and answer.number(4) == sftp.STATUS_EOF:
            break
        data, _ = failures.expect(answer, sftp.DATA, Actions.DOWNLOAD_FILE).string(4)
        if not data or len(data) > count:
            raise failures.nonsense()
        piece.append(data)
        gathered += len(data)
        if len(data) < count:  # permitted: the rest is asked for before anything after it
            rest = count - len(data)
            waiting.appendleft((at + len(data), rest, ask(at + len(data), rest)))
    if piece:
        yield b"".join(piece)


class Completion(Protocol):
    """Takes note of how the transfer of a file went."""

    def __call__(self, handle: bytes, sha256: str, detail: str = "", *, failed: bool = False) -> None: ...


class SftpReading:
    """Implements `core.targets.files.Reading`."""

    def __init__(
        self,
        client: SftpClient,
        failures: Failures,
        handle: bytes,
        attributes: Attributes,
        *,
        complete: Completion,
    ) -> None:
        """`complete` is called before the handle is closed."""
        self._client = client
        self._failures = failures
        self._handle = handle
        self._complete = complete
        self._hash = hashlib.sha256()
        self._hashed = 0
        self._parts: list[str] = []
        #: Whether a part that was asked for did not pass to its end.
        self._is_cut = False
        self._is_closed = False
        self.attributes = attributes

    async def data(self, offset: int, size: int) -> AsyncGenerator[bytes]:
        position = offset
        try:
            async with aclosing(stretch(self._client, self._failures, self._handle, offset, size)) as pieces:
                async for piece in pieces:
                    if position == self._hashed:
                        self._hash.update(piece)
                        self._hashed += len(piece)
                    position += len(piece)
                    yield piece
        finally:
            self._parts.append(f"{offset}-{position}")
            self._is_cut |= position < offset + size
        if position < offset + size and position < (self.attributes.size or 0):
            raise self._failures.of(FileProblem.CHANGED, Text.SHRANK)

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        is_whole = self.attributes.size is not None and self._hashed == self.attributes.size
        remark = "" if is_whole else f"bytes {', '.join(self._parts[:10])} of {self.attributes.size}"
        self._complete(self._handle, self._hash.hexdigest() if is_whole else "", remark, failed=self._is_cut)
        try:
            await self._client.ask(sftp.CLOSE, self._handle)
        except Gone:
            return
