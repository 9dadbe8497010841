"""Looking at folders and files."""

import asyncio
import contextlib
from collections.abc import Sequence

from aiohttp import web

from postern.contracts.enums import Actions
from postern.contracts.files import EndOfList, Entry, FileKind, FileProblem, Place
from postern.proxies.core.targets.files import FilesFailed, RemoteEntry
from postern.proxies.terminal.files.exchange import Exchange, problem_of
from postern.proxies.terminal.files.names import names_of, within
from postern.proxies.terminal.files.open_files import OF_ONE_FILE, OpenFiles
from postern.proxies.terminal.files.texts import Text


async def _place(files: OpenFiles, path: bytes) -> tuple[bytes, Place]:
    """Return the real path of a folder, and what the page is told about it."""
    remote = files.remote
    real = await remote.real_path(path)
    if (await remote.look(real, follow=True)).kind is not FileKind.FOLDER:
        raise files.failed(FileProblem.BAD_REQUEST, Text.NOT_A_FOLDER, name=files.shown(path))
    try:
        free = await remote.free(real)
    except FilesFailed as failure:
        if failure.problem not in OF_ONE_FILE:
            raise
        free = None
    top = sum(1 for name in remote.top.split(b"/") if name)
    return real, Place(path=names_of(real, files.charset), top=top, free=free)


async def place(exchange: Exchange) -> web.StreamResponse:
    """Answer GET `place`."""
    _, answer = await _place(exchange.files, exchange.folder())
    return exchange.answer(answer)


async def entry(exchange: Exchange) -> web.StreamResponse:
    """Answer GET `entry`."""
    return exchange.answer(await exchange.files.entry(exchange.path()))


async def entries(exchange: Exchange) -> web.StreamResponse:
    """Answer GET `list`: the lines of a folder, as the host lists them."""
    files = exchange.files
    folder, where = await _place(files, exchange.folder())
    count = 0
    try:
        async with contextlib.aclosing(files.entries(folder)) as pieces:
            async for piece in pieces:
                await files.go_on(Actions.UPDOWNLOAD)
                lines = await _lines(files, folder, piece)
                await exchange.lines(*([] if exchange.has_begun else [where]), *lines)
                count += len(lines)
    except FilesFailed as failure:
        if not exchange.has_begun or files.session.end_reason is not None:
            raise
        await exchange.lines(EndOfList(count=count, problem=problem_of(failure)))
    else:
        await exchange.lines(*([] if exchange.has_begun else [where]), EndOfList(count=count))
    return exchange.end()


async def _lines(files: OpenFiles, folder: bytes, piece: Sequence[RemoteEntry]) -> Sequence[Entry]:
    """Return the entries of a piece, in its order. What its links lead to is asked for at once."""
    made = [files.entry_of(within(folder, each.name), each.attributes) for each in piece]
    if any(each.attributes.kind is FileKind.LINK for each in piece):
        return await asyncio.gather(*made)
    return [await each for each in made]
