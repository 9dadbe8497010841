"""Deleting files, and folders with everything in them. Links are removed themselves, and never followed."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Final

from aiohttp import web

from postern.contracts.enums import Actions
from postern.contracts.files import Delete, Deleted, EndOfList, FileKind, FileProblem
from postern.kernel.clock import monotonic_s
from postern.proxies.core.targets.files import FilesFailed
from postern.proxies.terminal.files.exchange import Exchange, problem_of
from postern.proxies.terminal.files.limits import LOOKS_AT_ONCE, MAX_PATHS_BYTES
from postern.proxies.terminal.files.names import within
from postern.proxies.terminal.files.open_files import OpenFiles
from postern.proxies.terminal.files.texts import Text

#: How often the page is told how much is deleted, in seconds.
_TELL_S: Final = 0.5
#: How often a folder is read again that is not empty after everything in it was removed. A host may leave out names
#: while others are removed, and somebody else may make files meanwhile.
_TRIES: Final = 5


async def delete(exchange: Exchange) -> web.StreamResponse:
    """Answer POST `delete`."""
    files, message = exchange.files, await exchange.message(Delete, MAX_PATHS_BYTES)
    if not message.paths:
        raise files.failed(FileProblem.BAD_REQUEST, Text.NO_PATH)
    paths = [files.path(text) for text in message.paths]
    for path in paths:
        if path in {b"/", files.remote.top} or files.remote.top.startswith(path + b"/"):
            raise files.failed(FileProblem.BAD_REQUEST, Text.NOT_THIS_FOLDER)
    count, told_s = 0, monotonic_s()
    try:
        for path in paths:
            async for removed in _remove(files, path):
                count += removed
                if monotonic_s() - told_s >= _TELL_S:
                    told_s = monotonic_s()
                    await exchange.lines(Deleted(so_far=count))
    except FilesFailed as failure:
        if files.session.end_reason is not None or not (count or exchange.has_begun):
            raise
        await exchange.lines(EndOfList(count=count, problem=problem_of(failure)))
    else:
        await exchange.lines(EndOfList(count=count))
    return exchange.end()


async def _remove(files: OpenFiles, path: bytes) -> AsyncIterator[int]:
    """Remove a file, a link or a folder. Yields how many have just been removed."""
    await files.go_on(Actions.UPLOAD_FILE)
    if (await files.remote.look(path, follow=False)).kind is not FileKind.FOLDER:
        await files.remote.remove(path)
        yield 1
        return
    #: Folders to be read (try, path), and below them those that can be removed then.
    waiting: list[tuple[int, bytes]] = [(1, path)]
    while waiting:
        tries, folder = waiting.pop()
        folders: list[bytes] = []
        async for removed in _remove_contents(files, folder, folders):
            yield removed
        is_last_try = tries >= _TRIES
        if (is_last_try or not folders) and await _remove_folder(files, folder, is_last_try=is_last_try):
            yield 1
        else:
            waiting.append((tries + 1, folder))
            waiting += [(1, inner) for inner in folders]


async def _remove_folder(files: OpenFiles, folder: bytes, *, is_last_try: bool) -> bool:
    """Return False if the folder should be read again."""
    try:
        await files.remote.remove_folder(folder)
    except FilesFailed as failure:
        if is_last_try or failure.problem not in {FileProblem.NOT_EMPTY, FileProblem.FAILED}:
            raise
        return False
    return True


async def _remove_contents(files: OpenFiles, folder: bytes, folders: list[bytes]) -> AsyncIterator[int]:
    """Remove everything in a folder except the folders in it, which are added to `folders`."""
    async with contextlib.aclosing(files.entries(folder)) as pieces:
        async for piece in pieces:
            await files.go_on(Actions.UPLOAD_FILE)
            paths: list[bytes] = []
            for each in piece:
                path = within(folder, each.name)
                (folders if each.attributes.kind is FileKind.FOLDER else paths).append(path)
            for at in range(0, len(paths), LOOKS_AT_ONCE):
                await files.go_on(Actions.UPLOAD_FILE)
                yield await _at_once(files.remote.remove, paths[at : at + LOOKS_AT_ONCE])


async def _at_once(remove: Callable[[bytes], Awaitable[None]], paths: Sequence[bytes]) -> int:
    """Remove files at once. Returns how many. One that is gone already counts as removed."""
    answers = await asyncio.gather(*map(remove, paths), return_exceptions=True)
    for answer in answers:
        if isinstance(answer, FilesFailed) and answer.problem is FileProblem.NOT_FOUND:
            continue
        if isinstance(answer, BaseException):
            raise answer
    return len(paths)
