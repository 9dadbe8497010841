"""A file of an SFTP host that is written in order, with many requests in flight."""

import asyncio
import hashlib
from collections import deque
from contextlib import aclosing
from typing import Final

from postern.contracts.enums import Actions
from postern.contracts.files import CHECKED_TAIL_BYTES, FileProblem
from postern.proxies.core.targets.files import FilesFailed
from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.files.client import Gone, SftpClient
from postern.proxies.ssh.files.failures import Failures, is_failure
from postern.proxies.ssh.files.reading import Completion, stretch
from postern.proxies.ssh.files.texts import Text
from postern.proxies.ssh.sftp_packets import Packet

_FSYNC: Final = b"fsync@openssh.com"
_FSTATVFS: Final = b"fstatvfs@openssh.com"
#: Bytes that the host has not confirmed yet.
_AHEAD_BYTES: Final = 2 * 1024 * 1024


class SftpWriting:
    """Implements `core.targets.files.Writing`."""

    def __init__(self, client: SftpClient, failures: Failures, handle: bytes, *, complete: Completion) -> None:
        """`complete` is called before the handle is closed."""
        self._client = client
        self._failures = failures
        self._handle = handle
        self._complete = complete
        self._hash = hashlib.sha256()
        self._waiting: deque[tuple[int, asyncio.Future[Packet]]] = deque()
        self._unconfirmed = 0
        self._failure: FilesFailed | None = None
        self._begun_at = 0
        #: Newest bytes, at least as many as the tail has if there are so many.
        self._newest = b""
        self._is_closed = False
        self._turn = asyncio.Lock()
        self.size = 0

    @property
    def tail(self) -> bytes:
        return self._newest[-CHECKED_TAIL_BYTES:]

    def _count(self, piece: bytes | memoryview) -> None:
        self._hash.update(piece)
        self.size += len(piece)
        is_enough = len(piece) >= CHECKED_TAIL_BYTES
        self._newest = bytes(piece) if is_enough else self._newest[-CHECKED_TAIL_BYTES:] + piece

    async def read_back(self, size: int) -> None:
        """Continue a file of this size: its bytes belong to the hash. Raises `FilesFailed`."""
        async with aclosing(stretch(self._client, self._failures, self._handle, 0, size)) as pieces:
            async for piece in pieces:
                self._count(piece)
        if self.size != size:
            raise self._failures.of(FileProblem.CHANGED, Text.SHRANK)
        self._begun_at = size

    async def write(self, data: bytes) -> None:
        async with self._turn:
            view = memoryview(data)
            step = self._client.write_bytes
            for start in range(0, len(data), step):
                piece = view[start : start + step]
                await self._client.writable()
                await self._confirmed(_AHEAD_BYTES)
                self._waiting.append((len(piece), self._client.put_data(self._handle, self.size, piece)))
                self._unconfirmed += len(piece)
                self._count(piece)

    async def settle(self) -> None:
        async with self._turn:
            await self._confirmed(0)

    async def _confirmed(self, most: int) -> None:
        """Wait until no more than this many bytes are unconfirmed. Raises the first failure, each time."""
        while self._failure is None and self._waiting and (self._unconfirmed > most or self._waiting[0][1].done()):
            size, future = self._waiting[0]
            try:
                self._failures.check(await future, Actions.UPLOAD_FILE)
            except Gone:
                self._failure = self._failures.over()
            except FilesFailed as failure:
                self._failure = failure
                if is_failure(future.result()) and await self._is_full():
                    self._failure = self._failures.of(FileProblem.NO_ROOM, Text.NO_ROOM)
            self._waiting.popleft()
            self._unconfirmed -= size
        if self._failure is not None:
            raise self._failure

    async def _is_full(self) -> bool:
        """Whether the host says that its disk has no room for a piece."""
        if not self._client.offers(_FSTATVFS):
            return False
        try:
            answer = await self._client.ask(sftp.EXTENDED, _FSTATVFS, self._handle)
        except Gone:
            return False
        free = free_in(answer)
        return free is not None and free < self._client.write_bytes

    async def sync(self) -> None:
        await self.settle()
        if self._client.offers(_FSYNC):
            try:
                self._failures.check(await self._client.ask(sftp.EXTENDED, _FSYNC, self._handle), Actions.UPLOAD_FILE)
            except Gone:
                raise self._failures.over() from None

    async def close(self) -> str:
        await self.settle()
        self._is_closed = True
        sha256 = self._hash.hexdigest()
        remark = f"continued at byte {self._begun_at}" if self._begun_at else ""
        self._complete(self._handle, sha256, remark)
        try:
            self._failures.check(await self._client.ask(sftp.CLOSE, self._handle), Actions.UPLOAD_FILE)
        except Gone:
            raise self._failures.over() from None
        return sha256

    async def give_up(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        if self._failure is None:
            self._failure = self._failures.of(FileProblem.FAILED, Text.NO_REASON)
        self._complete(self._handle, "", f"given up at byte {self.size}", failed=True)
        try:
            await self._client.ask(sftp.CLOSE, self._handle)
        except Gone:
            return


def free_in(answer: Packet) -> int | None:
    """Return the room in bytes for ordinary users in an answer to `statvfs@openssh.com` (PROTOCOL of OpenSSH, 4.4)."""
    if answer.type != sftp.EXTENDED_REPLY or len(answer.body) < 4 + 11 * 8:
        return None
    unit = answer.number(12) << 32 | answer.number(16)
    return unit * (answer.number(36) << 32 | answer.number(40))
