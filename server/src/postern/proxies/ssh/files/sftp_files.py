"""The files of one SSH host, for the file manager. Every request passes the inspector of the session."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

from postern.contracts.enums import Actions
from postern.contracts.files import FileKind, FileProblem
from postern.proxies.core.targets.files import Attributes, FilesFailed, RemoteEntry
from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.files.attributes import read_attributes, read_entries, with_mode, with_modified, with_owner
from postern.proxies.ssh.files.client import Gone, SftpClient
from postern.proxies.ssh.files.failures import Failures, is_failure
from postern.proxies.ssh.files.reading import SftpReading
from postern.proxies.ssh.files.texts import Text
from postern.proxies.ssh.files.writing import SftpWriting, free_in
from postern.proxies.ssh.relay import Relay
from postern.proxies.ssh.sftp_inspector import SftpInspector
from postern.proxies.ssh.sftp_open_files import OwnFile
from postern.proxies.ssh.sftp_packets import Malformed, Packet

_POSIX_RENAME: Final = b"posix-rename@openssh.com"
_STATVFS: Final = b"statvfs@openssh.com"
#: READDIR requests in flight.
_LISTS_AHEAD: Final = 4
_FIRST: Final = sftp.FLAG_WRITE | sftp.FLAG_CREATE | sftp.FLAG_EXCLUSIVE
_AGAIN: Final = sftp.FLAG_WRITE | sftp.FLAG_READ


class SftpFiles:
    """Implements `core.targets.files.RemoteFiles`."""

    def __init__(
        self,
        client: SftpClient,
        inspector: SftpInspector,
        relay: Relay,
        failures: Failures,
        *,
        fingerprint: str,
        has_root: bool,
    ) -> None:
        self._client = client
        self._inspector = inspector
        self._relay = relay
        self._failures = failures
        self._has_root = has_root
        self.host_key_fingerprint = fingerprint
        self.top = b"/"

    async def _ask(self, kind: int, *strings: bytes, tail: bytes = b"", number: int | None = None) -> Packet:
        try:
            return await self._client.ask(kind, *strings, tail=tail, number=number)
        except Gone:
            raise self._failures.over() from None

    # Looking

    async def start(self) -> bytes:
        first = await self.real_path(b".")
        if self._has_root:
            self.top = first
        return first

    async def real_path(self, path: bytes) -> bytes:
        real = self._name(await self._ask(sftp.REALPATH, path))
        if not real.startswith(b"/") or b"\0" in real:
            raise self._failures.nonsense()
        return real

    async def read_link(self, path: bytes) -> bytes:
        return self._name(await self._ask(sftp.READLINK, path))

    def _name(self, answer: Packet) -> bytes:
        """Return the only name in an answer."""
        try:
            return self._failures.expect(answer, sftp.NAME).string(8)[0]
        except Malformed:
            raise self._failures.nonsense() from None

    async def look(self, path: bytes, *, follow: bool) -> Attributes:
        return self._attributes(await self._ask(sftp.STAT if follow else sftp.LSTAT, path))

    async def leads_to(self, link: bytes) -> FileKind | None:
        number = self._client.next_id()
        with self._inspector.looking(number):
            answer = await self._ask(sftp.STAT, link, number=number)
        return self._attributes(answer).kind if answer.type == sftp.ATTRS else None

    def _attributes(self, answer: Packet) -> Attributes:
        try:
            return read_attributes(self._failures.expect(answer, sftp.ATTRS), 4)[0]
        except Malformed:
            raise self._failures.nonsense() from None

    async def entries(self, folder: bytes) -> AsyncGenerator[Sequence[RemoteEntry]]:
        opened = await self._ask(sftp.OPENDIR, folder)
        # OpenSSH says of a file that there is no such folder.
        if opened.type == sftp.STATUS and (await self.look(folder, follow=True)).kind is not FileKind.FOLDER:
            raise self._failures.of(FileProblem.BAD_REQUEST, Text.NOT_A_FOLDER)
        handle, _ = self._failures.expect(opened, sftp.HANDLE).string(4)
        async with aclosing(self._names(handle)) as pieces:
            async for piece in pieces:
                yield piece

    async def _names(self, handle: bytes) -> AsyncGenerator[Sequence[RemoteEntry]]:
        waiting: deque[asyncio.Future[Packet]] = deque()
        try:
            while True:
                while len(waiting) < _LISTS_AHEAD:
                    waiting.append(self._client.put(sftp.READDIR, handle))
                answer = await waiting.popleft()
                if answer.type == sftp.STATUS and answer.number(4) == sftp.STATUS_EOF:
                    return
                yield list(read_entries(self._failures.expect(answer, sftp.NAME)))
        except Gone:
            raise self._failures.over() from None
        except Malformed:
            raise self._failures.nonsense() from None
        finally:
            self._client.put(sftp.CLOSE, handle)

    async def free(self, folder: bytes) -> int | None:
        return free_in(await self._ask(sftp.EXTENDED, _STATVFS, folder)) if self._client.offers(_STATVFS) else None

    # Reading and writing files

    async def open_reading(self, path: bytes) -> SftpReading:
        # A pipe would hold up the server's only process until somebody writes to it.
        await self._require_file(path)
        flags = sftp.FLAG_READ.to_bytes(4, "big")
        opened = await self._ask(sftp.OPEN, path, tail=flags + with_mode(None))
        handle, _ = self._failures.expect(opened, sftp.HANDLE, Actions.DOWNLOAD_FILE).string(4)
        try:
            attributes = self._attributes(await self._ask(sftp.FSTAT, handle))
        except BaseException:
            self._client.put(sftp.CLOSE, handle)
            raise
        return SftpReading(self._client, self._failures, handle, attributes, complete=self._inspector.complete)

    async def _require_file(self, path: bytes) -> Attributes:
        attributes = await self.look(path, follow=True)
        if attributes.kind is not FileKind.FILE:
            raise self._failures.of(FileProblem.BAD_REQUEST, Text.NOT_A_FILE)
        return attributes

    async def open_writing(self, path: bytes, *, stands_for: bytes, mode: int, resume: bool = False) -> SftpWriting:
        if resume and (await self.look(path, follow=False)).kind is not FileKind.FILE:
            raise self._failures.of(FileProblem.BAD_REQUEST, Text.NOT_A_FILE)
        number = self._client.next_id()
        self._inspector.announce(number, OwnFile(stands_for=stands_for, reads_back=resume))
        flags = _AGAIN if resume else _FIRST
        tail = flags.to_bytes(4, "big") + with_mode(None if resume else mode)
        opened = await self._ask(sftp.OPEN, path, tail=tail, number=number)
        if is_failure(opened) and not resume and await self._is_there(path):
            raise self._failures.of(FileProblem.EXISTS, Text.EXISTS)
        handle, _ = self._failures.expect(opened, sftp.HANDLE, Actions.UPLOAD_FILE).string(4)
        writing = SftpWriting(self._client, self._failures, handle, complete=self._inspector.complete)
        if resume:
            try:
                await writing.read_back(self._attributes(await self._ask(sftp.FSTAT, handle)).size or 0)
            except BaseException:
                await writing.give_up()
                raise
        return writing

    # Changes

    async def _is_there(self, path: bytes) -> bool:
        try:
            await self.look(path, follow=False)
        except FilesFailed as failure:
            if failure.problem is FileProblem.NOT_FOUND:
                return False
            raise
        return True

    async def _change(self, kind: int, *strings: bytes, tail: bytes = b"") -> None:
        self._failures.check(await self._ask(kind, *strings, tail=tail), Actions.UPLOAD_FILE)

    async def rename(self, path: bytes, to: bytes, *, replace: bool) -> bool:
        if replace and self._client.offers(_POSIX_RENAME):
            await self._change(sftp.EXTENDED, _POSIX_RENAME, path, to)
            return True
        if not replace:
            if await self._is_there(to):
                raise self._failures.of(FileProblem.EXISTS, Text.EXISTS)
            await self._change(sftp.RENAME, path, to)
            return True
        answer = await self._ask(sftp.RENAME, path, to)
        if not is_failure(answer) or not await self._is_there(to):
            self._failures.check(answer, Actions.UPLOAD_FILE)
            return True
        await self.remove(to)
        await self._change(sftp.RENAME, path, to)
        return False

    async def remove(self, path: bytes) -> None:
        await self._change(sftp.REMOVE, path)

    async def make_folder(self, path: bytes) -> None:
        answer = await self._ask(sftp.MKDIR, path, tail=with_mode(None))
        if is_failure(answer) and await self._is_there(path):
            raise self._failures.of(FileProblem.EXISTS, Text.EXISTS)
        self._failures.check(answer, Actions.UPLOAD_FILE)

    async def remove_folder(self, path: bytes) -> None:
        answer = await self._ask(sftp.RMDIR, path)
        if is_failure(answer):
            async with aclosing(self.entries(path)) as pieces:
                async for piece in pieces:
                    if piece:
                        raise self._failures.of(FileProblem.NOT_EMPTY, Text.NOT_EMPTY)
        self._failures.check(answer, Actions.UPLOAD_FILE)

    async def set_mode(self, path: bytes, mode: int) -> None:
        await self._change(sftp.SETSTAT, path, tail=with_mode(mode))

    async def set_owner(self, path: bytes, ids: tuple[int, int]) -> None:
        await self._change(sftp.SETSTAT, path, tail=with_owner(ids))

    async def set_modified(self, path: bytes, modified: int) -> None:
        await self._change(sftp.SETSTAT, path, tail=with_modified(modified))

    def close(self) -> None:
        self._relay.front_gone()
