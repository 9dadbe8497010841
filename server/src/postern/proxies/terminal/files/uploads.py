"""Uploads in pieces, which continue after the loss of a session.

An upload is written to a temporary file beside its place, whose name follows from the person, the account, the place
and the local file. So a later session finds what an earlier one has left, and continues there. The page compares the
hash of the last bytes with its own file. At the end the file takes its name in one step.
"""

import asyncio
import hashlib
from collections import OrderedDict
from typing import Final

from postern.contracts.enums import Actions
from postern.contracts.files import SLICE_BYTES, BeginUpload, FileKind, FileProblem, UploadEnd, UploadState
from postern.proxies.core.targets.files import Attributes, FilesFailed, Writing
from postern.proxies.terminal.files.exchange import Exchange
from postern.proxies.terminal.files.limits import FINISHED_KEPT, STALLED_S, UPLOADS_AT_ONCE
from postern.proxies.terminal.files.names import split, within
from postern.proxies.terminal.files.open_files import OF_ONE_FILE, OpenFiles, if_possible
from postern.proxies.terminal.files.texts import Text

_PART_MODE: Final = 0o600
#: The permissions of a new file: what the usual umask leaves.
_NEW_MODE: Final = 0o644
_MODE: Final = 0o777
_MAX_SIZE: Final = 2**63 - 1
#: Times of SFTP version 3 are 32 bits without a sign.
_MAX_TIME: Final = 2**32 - 1


class Upload:
    """One upload of a session. `lock` is held while it changes."""

    def __init__(self, upload_id: str, target: bytes, message: BeginUpload) -> None:
        self.id = upload_id
        self.target = target
        self.part = within(split(target)[0], b".postern-" + upload_id.encode() + b".part")
        self.size = message.size
        self.modified = min(max(message.modified, 0), _MAX_TIME)
        self.lock = asyncio.Lock()
        self.writing: Writing | None = None
        #: The hash of the whole file, once all of it has been written.
        self.sha256 = ""
        #: Set when it has ended here: finished, cancelled, or continued by another session.
        self.is_over = False
        #: The request whose slice is being written.
        self.taking: asyncio.Task[object] | None = None

    async def give_up(self) -> None:
        """Close what is open. What the host has taken stays there."""
        if self.writing is not None:
            writing, self.writing = self.writing, None
            await writing.give_up()

    def state(self, offset: int, tail: bytes = b"") -> UploadState:
        """Return what the page is told. `tail` are the last bytes that are there, when the upload continues."""
        tail_sha256 = hashlib.sha256(tail).hexdigest() if tail else ""
        return UploadState(id=self.id, offset=offset, slice_bytes=SLICE_BYTES, tail_sha256=tail_sha256)


#: The uploads of all sessions of this proxy, so that two of them never write one temporary file.
UploadsHere = dict[str, tuple["Uploads", Upload]]


class Uploads:
    """The uploads of one session."""

    def __init__(self, files: OpenFiles, here: UploadsHere) -> None:
        self._files = files
        self._here = here
        self._uploads: dict[str, Upload] = {}
        self._ends: OrderedDict[str, UploadEnd] = OrderedDict()
        self._beginning = asyncio.Lock()

    def close(self) -> None:
        """Leave the unfinished uploads to a later session. The files are closed with the session."""
        for upload in self._uploads.values():
            self._forget(upload)
        self._uploads.clear()

    def _forget(self, upload: Upload) -> None:
        upload.is_over = True
        if self._here.get(upload.id) == (self, upload):
            del self._here[upload.id]

    def _drop(self, upload: Upload) -> None:
        self._forget(upload)
        self._uploads.pop(upload.id, None)

    def find(self, upload_id: str) -> Upload:
        """Return an upload of this session. Raises `FilesFailed`."""
        upload = self._uploads.get(upload_id)
        if upload is None or upload.is_over:
            raise self._files.failed(FileProblem.NOT_FOUND, Text.UPLOAD_GONE)
        return upload

    # Beginning

    async def begin(self, message: BeginUpload) -> UploadState:
        """Begin an upload, or continue it where it stopped."""
        files = self._files
        if not 0 <= message.size <= _MAX_SIZE:
            raise files.failed(FileProblem.BAD_REQUEST, Text.BAD_SIZE)
        target = await self._real_target(files.new_path(message.path))
        await self._replaceable(target, replace=message.replace)
        upload_id = self._id(target, message)
        while True:
            async with self._beginning:
                upload = await self._taken_up(upload_id)
                if upload is None:
                    upload = Upload(upload_id, target, message)
                    self._uploads[upload_id] = upload
                    self._here[upload_id] = (self, upload)
                self._ends.pop(upload_id, None)
            async with upload.lock:
                if upload.is_over:  # it was finished, cancelled or taken over while this waited for it
                    continue
                try:
                    return await self._begun(upload, fresh=message.fresh)
                except BaseException:
                    await upload.give_up()
                    self._drop(upload)
                    raise

    async def _real_target(self, path: bytes) -> bytes:
        """Return where the file will be: a rename would replace a link instead of the file that it leads to."""
        remote = self._files.remote
        folder, name = split(path)
        real = within(await remote.real_path(folder), name)
        existing = await self._files.exists(real)
        return await remote.real_path(real) if existing is not None and existing.kind is FileKind.LINK else real

    async def _replaceable(self, target: bytes, *, replace: bool) -> Attributes | None:
        """Return the attributes of the file that will be replaced, if any. Raises `FilesFailed` if it must not be."""
        existing = await self._files.exists(target)
        if existing is not None and existing.kind is not FileKind.FILE:
            raise self._files.failed(FileProblem.EXISTS, Text.NOT_REPLACED, name=self._files.shown(target))
        if existing is not None and not replace:
            raise self._files.failed(FileProblem.EXISTS, Text.EXISTS, name=self._files.shown(target))
        return existing

    def _id(self, target: bytes, message: BeginUpload) -> str:
        """Return the same id for the same file of the same person, in every session."""
        grant, session = self._files.session.grant, self._files.session
        account = f"{grant.system_user_id} {session.entered_login_name or grant.login_name}"
        facts = f"{grant.user.id} {grant.asset_id} {message.size} {message.modified} {account}"
        return hashlib.sha256(facts.encode() + b"\0" + target).hexdigest()[:40]

    async def _taken_up(self, upload_id: str) -> Upload | None:
        """Return this session's upload of this id. One of another session is closed, so that it can be continued."""
        while known := self._here.get(upload_id):
            owner, upload = known
            if owner is self:
                return upload
            lock = owner._files.session.lock  # noqa: SLF001 - the same class, of another session
            if lock.is_on:  # nothing can be closed there
                raise FilesFailed(FileProblem.LOCKED, lock.sentence)
            owner._drop(upload)  # noqa: SLF001
            if upload.taking is not None:  # its browser may be gone
                upload.taking.cancel()
            async with upload.lock:
                await upload.give_up()
        return None

    async def _begun(self, upload: Upload, *, fresh: bool) -> UploadState:
        if fresh:
            await upload.give_up()
            await self._remove(upload)
        if upload.writing is None:
            await self._require_room(upload)
        writing = await self._writing(upload)
        await writing.settle()
        return upload.state(writing.size, writing.tail)

    async def _require_room(self, upload: Upload) -> None:
        """Raise `FilesFailed` if the host's disk has no room for the rest of a file."""
        there = await self._files.exists(upload.part)
        needed = upload.size - (there.size or 0 if there is not None else 0)
        try:
            room = await self._files.remote.free(split(upload.target)[0])
        except FilesFailed as failure:
            if failure.problem not in OF_ONE_FILE:
                raise
            return
        if room is not None and needed > room:
            raise self._files.failed(FileProblem.NO_ROOM, Text.NO_ROOM, needed=f"{needed:,}", free=f"{room:,}")

    async def _writing(self, upload: Upload) -> Writing:
        """Return the open temporary file, which holds what has been uploaded so far."""
        if upload.writing is not None:
            return upload.writing
        if sum(each.writing is not None for each in self._uploads.values()) >= UPLOADS_AT_ONCE:
            raise self._files.failed(FileProblem.TOO_MANY, Text.TOO_MANY)
        there = await self._files.exists(upload.part)
        if there is not None and (there.kind is not FileKind.FILE or (there.size or 0) > upload.size):
            await self._files.remote.remove(upload.part)
            there = None
        upload.sha256 = ""
        upload.writing = await self._files.remote.open_writing(
            upload.part, stands_for=upload.target, mode=_PART_MODE, resume=there is not None
        )
        return upload.writing

    async def _remove(self, upload: Upload) -> None:
        try:
            await self._files.remote.remove(upload.part)
        except FilesFailed as failure:
            if failure.problem is not FileProblem.NOT_FOUND:
                raise

    # Continuing

    async def put(self, upload: Upload, offset: int, length: int, exchange: Exchange) -> UploadState:
        """Write a slice of `length` bytes from the body of a request. Only at the size so far."""
        files = self._files
        if length > SLICE_BYTES:
            raise files.failed(FileProblem.TOO_LARGE, Text.BODY_TOO_LARGE)
        async with upload.lock:
            self.find(upload.id)
            try:
                writing = await self._writing(upload)
                await writing.settle()
                if offset != writing.size:
                    raise self._continues(writing.size)
                if offset + length > upload.size:
                    raise files.failed(FileProblem.BAD_REQUEST, Text.BAD_SIZE)
                await self._take(upload, writing, length, exchange)
                return upload.state(writing.size)
            except FilesFailed as failure:
                if failure.problem not in {FileProblem.WRONG_OFFSET, FileProblem.BAD_REQUEST}:
                    await upload.give_up()
                raise

    async def _take(self, upload: Upload, writing: Writing, length: int, exchange: Exchange) -> None:
        upload.taking = task = asyncio.current_task()
        try:
            while piece := await self._piece(exchange):
                await self._files.go_on(Actions.UPLOAD_FILE)
                await writing.write(piece)
                length -= len(piece)
            await writing.settle()
        except asyncio.CancelledError:
            if not upload.is_over or self._files.session.end_reason is not None or task is None:
                raise
            task.uncancel()  # it was `_taken_up` of another session
            raise self._files.failed(FileProblem.NOT_FOUND, Text.UPLOAD_GONE) from None
        finally:
            upload.taking = None
        if length:
            raise self._continues(writing.size)

    async def _piece(self, exchange: Exchange) -> bytes:
        """Return what has arrived of a slice; b"" at its end, or when the browser seems to be gone."""
        try:
            async with asyncio.timeout(STALLED_S):
                return await exchange.request.content.readany()
        except TimeoutError:
            return b""

    def _continues(self, offset: int) -> FilesFailed:
        message = Text.UPLOAD_CONTINUES.say(self._files.session.language, offset=f"{offset:,}")
        return FilesFailed(FileProblem.WRONG_OFFSET, message, offset=offset)

    # Ending

    async def finish(self, upload_id: str, *, replace: bool) -> UploadEnd:
        """Give the file its name. A page that did not get the answer may ask again."""
        if (end := self._ends.get(upload_id)) is not None:
            return end
        upload = self.find(upload_id)
        async with upload.lock:
            if (end := self._ends.get(upload_id)) is not None:
                return end
            self.find(upload_id)
            if not upload.sha256:
                # Before the file is closed, because the log then says that it arrived.
                await self._replaceable(upload.target, replace=replace)
                upload.sha256 = await self._complete(upload)
            end = await self._named(upload, replace=replace)
            self._drop(upload)
            self._ends[upload_id] = end
            while len(self._ends) > FINISHED_KEPT:
                self._ends.popitem(last=False)
        return end

    async def _complete(self, upload: Upload) -> str:
        """Close the temporary file with everything on the host's disk. Returns its hash."""
        writing = await self._writing(upload)
        await writing.settle()
        if writing.size != upload.size:
            raise self._continues(writing.size)
        try:
            await writing.sync()
            sha256 = await writing.close()
        except FilesFailed:
            await upload.give_up()
            raise
        upload.writing = None
        return sha256

    async def _named(self, upload: Upload, *, replace: bool) -> UploadEnd:
        files, remote = self._files, self._files.remote
        there = (await remote.look(upload.part, follow=False)).size
        if there != upload.size:
            upload.sha256 = ""
            raise files.failed(FileProblem.FAILED, Text.UPLOAD_SIZE, there=there, expected=upload.size)
        replaced = await self._replaceable(upload.target, replace=replace)
        if replaced is not None:
            await files.keep_owner(upload.part, replaced)
        mode = _NEW_MODE if replaced is None or replaced.mode is None else replaced.mode & _MODE
        await if_possible(remote.set_mode(upload.part, mode))
        await if_possible(remote.set_modified(upload.part, upload.modified))
        is_atomic = await remote.rename(upload.part, upload.target, replace=replace)
        return UploadEnd(entry=await files.entry(upload.target), sha256=upload.sha256, is_atomic=is_atomic)

    async def cancel(self, upload: Upload) -> None:
        """Remove what has been uploaded so far."""
        async with upload.lock:
            self.find(upload.id)
            await upload.give_up()
            await self._remove(upload)
            self._drop(upload)
