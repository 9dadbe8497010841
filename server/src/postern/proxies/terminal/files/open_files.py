"""`OpenFiles`: the files of one session, with the operations that run on them."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Iterator, Sequence
from typing import Final

from postern.contracts.enums import Actions
from postern.contracts.files import Entry, FileKind, FileProblem, Name
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.files import Attributes, FilesFailed, Reading, RemoteEntry, RemoteFiles
from postern.proxies.terminal.files.limits import LOOKS_AT_ONCE, OTHERS_AT_ONCE, TRANSFERS_AT_ONCE
from postern.proxies.terminal.files.names import MAX_PATH_BYTES, NotAName, is_name, name_of, path_from, shown, split
from postern.proxies.terminal.files.texts import Text

#: Failures of a host that concern one file. After any other, the session cannot go on.
OF_ONE_FILE: Final = frozenset(
    {
        FileProblem.BAD_REQUEST,
        FileProblem.DENIED,
        FileProblem.NOT_FOUND,
        FileProblem.EXISTS,
        FileProblem.NOT_EMPTY,
        FileProblem.CHANGED,
        FileProblem.FAILED,
    }
)


async def if_possible(change: Awaitable[None]) -> None:
    """Make a change that a host may refuse without harm to the content of a file."""
    try:
        await change
    except FilesFailed as failure:
        if failure.problem not in OF_ONE_FILE:
            raise


class OpenFiles:
    """The files of a session while it is live. All methods raise `FilesFailed` with a sentence for the person."""

    def __init__(self, session: LiveSession, remote: RemoteFiles, home: bytes) -> None:
        """`home` is the folder to begin in."""
        self.session = session
        self.remote = remote
        self.home = home
        self.charset = session.grant.charset
        self._running: dict[asyncio.Task[object], bool] = {}
        self._looks = asyncio.Semaphore(LOOKS_AT_ONCE)

    def failed(self, problem: FileProblem, text: Text, /, **values: object) -> FilesFailed:
        """Return the exception with this sentence in the person's language."""
        return FilesFailed(problem, text.say(self.session.language, **values))

    # Operations

    @contextlib.contextmanager
    def operation(self, *, is_transfer: bool) -> Iterator[None]:
        """Run the block as an operation of the session: it is cancelled when the session ends."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("an operation runs in a task")
        limit = TRANSFERS_AT_ONCE if is_transfer else OTHERS_AT_ONCE
        if sum(each is is_transfer for each in self._running.values()) >= limit:
            raise self.failed(FileProblem.TOO_MANY, Text.TOO_MANY)
        self._running[task] = is_transfer
        try:
            yield
        finally:
            self._running.pop(task, None)

    def end_operations(self) -> None:
        """Cancel all operations, because the session has ended."""
        for task in self._running:
            task.cancel()

    def require(self, actions: Actions) -> None:
        """Raise unless one of these actions is permitted now, and the session is neither over nor locked."""
        session = self.session
        if session.end_reason is not None:
            raise self.over()
        if session.lock.is_on:
            raise FilesFailed(FileProblem.LOCKED, session.lock.sentence)
        self._judge(actions)

    async def go_on(self, actions: Actions) -> None:
        """Wait while the session is locked, then raise unless a transfer under way may continue."""
        session = self.session
        if session.lock.is_on:
            await session.lock.passable()
        if session.end_reason is not None:
            raise self.over()
        self._judge(actions)

    def _judge(self, actions: Actions) -> None:
        if not self.session.may(actions):
            raise FilesFailed(FileProblem.NOT_PERMITTED, self.session.refusal(actions))

    def over(self) -> FilesFailed:
        """Return the exception of a session that has ended."""
        message = self.session.end_message or Text.SESSION_OVER.say(self.session.language)
        return FilesFailed(FileProblem.SESSION_OVER, message)

    # Paths and entries

    def path(self, text: str) -> bytes:
        """Return the path that the page named."""
        try:
            return path_from(text)
        except NotAName as error:
            raise self.failed(FileProblem.BAD_REQUEST, Text.BAD_PATH) from error

    def new_path(self, text: str) -> bytes:
        """Return the path of something that is to be made, so it is not the root."""
        path = self.path(text)
        if path == b"/":
            raise self.failed(FileProblem.BAD_REQUEST, Text.BAD_PATH)
        return path

    def shown(self, path: bytes) -> str:
        """Return the last name of a path for the eye."""
        return shown(split(path)[1], self.charset) or "/"

    async def entry(self, path: bytes) -> Entry:
        """Return what the host states about a file, or about the link itself."""
        attributes = await self.remote.look(path, follow=False)
        return await self.entry_of(path, attributes)

    async def entry_of(self, path: bytes, attributes: Attributes) -> Entry:
        """Return the entry of a file whose attributes are known."""
        name = split(path)[1]
        return Entry(
            name=name_of(name, self.charset) if name else Name(text="/", id=""),
            kind=attributes.kind,
            size=attributes.size,
            modified=attributes.modified,
            mode=attributes.mode,
            owner=attributes.owner,
            group=attributes.group,
            leads_to=await self._leads_to(path) if attributes.kind is FileKind.LINK else None,
        )

    async def _leads_to(self, path: bytes) -> FileKind | None:
        async with self._looks:
            try:
                return await self.remote.leads_to(path)
            except FilesFailed as failure:
                if failure.problem in OF_ONE_FILE:
                    return None
                raise

    async def exists(self, path: bytes) -> Attributes | None:
        """Return the attributes of what has this name, of a link itself; None if nothing has it."""
        try:
            return await self.remote.look(path, follow=False)
        except FilesFailed as failure:
            if failure.problem is FileProblem.NOT_FOUND:
                return None
            raise

    async def entries(self, folder: bytes) -> AsyncGenerator[Sequence[RemoteEntry]]:
        """Yield the entries of a folder in pieces. What could not be the name of a file in it is left out: a host that
        lies must not lead a deletion or an archive into another folder, nor into folders without end.
        """
        if len(folder) > MAX_PATH_BYTES:
            raise self.failed(FileProblem.FAILED, Text.PATH_LONG, bytes=MAX_PATH_BYTES)
        async with contextlib.aclosing(self.remote.entries(folder)) as pieces:
            async for piece in pieces:
                yield [entry for entry in piece if is_name(entry.name)]

    async def keep_owner(self, path: bytes, replaced: Attributes) -> None:
        """Give a new file the owner of the file that it will replace, as far as the account may do that."""
        if replaced.ids is None or (await self.remote.look(path, follow=False)).ids == replaced.ids:
            return
        await if_possible(self.remote.set_owner(path, replaced.ids))

    async def readable_file(self, path: bytes) -> Attributes:
        """Return the attributes of a regular file. Opening a pipe or a device could block the host's server."""
        attributes = await self.remote.look(path, follow=True)
        if attributes.kind is not FileKind.FILE:
            raise self.failed(FileProblem.BAD_REQUEST, Text.NOT_A_FILE, name=self.shown(path))
        if attributes.size is None:
            raise self.failed(FileProblem.FAILED, Text.SIZE_UNKNOWN, name=self.shown(path))
        return attributes

    def too_large(self, path: bytes, most: int) -> FilesFailed:
        """Return the exception of a file that has more than `most` bytes, so that the page does not show it."""
        return self.failed(FileProblem.TOO_LARGE, Text.TEXT_TOO_LARGE, name=self.shown(path), megabytes=most >> 20)

    async def open_reading(self, path: bytes, *, most: int | None = None) -> tuple[Reading, int]:
        """Open a regular file of at most `most` bytes for a transfer. Returns it with its size in bytes. The caller
        closes it. A file that is too large is not opened, so nothing is logged as a transfer.
        """
        size = (await self.readable_file(path)).size or 0
        if most is not None and size > most:
            raise self.too_large(path, most)
        reading = await self.remote.open_reading(path)
        now = reading.attributes
        if now.kind is FileKind.FILE and now.size is not None and (most is None or now.size <= most):
            return reading, now.size
        await reading.close()
        if now.kind is FileKind.FILE and most is not None:
            raise self.too_large(path, most)
        raise self.failed(FileProblem.BAD_REQUEST, Text.NOT_A_FILE, name=self.shown(path))

    async def pieces(self, reading: Reading, offset: int, size: int) -> AsyncGenerator[bytes]:
        """Yield a part of a file; less if the file has become shorter.

        The transfer stands still while the session is locked, and fails when the right to download ends.
        """
        async with contextlib.aclosing(reading.data(offset, size)) as data:
            async for piece in data:
                await self.go_on(Actions.DOWNLOAD_FILE)
                yield piece

    async def read(self, path: bytes, size: int) -> bytes:
        """Return the first bytes of a regular file, at most `size`."""
        reading, there = await self.open_reading(path)
        try:
            async with contextlib.aclosing(self.pieces(reading, 0, min(size, there))) as pieces:
                return b"".join([piece async for piece in pieces])
        finally:
            await reading.close()
