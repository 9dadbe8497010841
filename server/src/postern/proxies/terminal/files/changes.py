"""Folders, names and permissions: operations that change no content."""

from typing import Final

from aiohttp import web

from postern.contracts.files import ChangeMode, FileKind, FileProblem, Move, Name, NewFolder, NewName
from postern.proxies.core.targets.files import FilesFailed
from postern.proxies.terminal.files.exchange import Exchange
from postern.proxies.terminal.files.names import MAX_NAME_BYTES, name_of, visible
from postern.proxies.terminal.files.open_files import OpenFiles
from postern.proxies.terminal.files.texts import Text

_MAX_MODE: Final = 0o7777
#: Charsets in which names are written, by that of the asset.
_WRITTEN: Final = {"gbk": "gbk"}


async def make_folder(exchange: Exchange) -> web.StreamResponse:
    """Answer POST `folder`."""
    files, message = exchange.files, await exchange.message(NewFolder)
    path = files.new_path(message.path)
    try:
        await files.remote.make_folder(path)
    except FilesFailed as failure:
        # A host may not say why it makes no folder.
        if failure.problem not in {FileProblem.EXISTS, FileProblem.FAILED} or not message.keep:
            raise
        if not await _is_folder(files, path):
            raise
    return exchange.answer(await files.entry(path))


async def _is_folder(files: OpenFiles, path: bytes) -> bool:
    try:
        return (await files.remote.look(path, follow=True)).kind is FileKind.FOLDER
    except FilesFailed as failure:
        if failure.problem is FileProblem.NOT_FOUND:
            return False
        raise


async def move(exchange: Exchange) -> web.StreamResponse:
    """Answer POST `move`."""
    files, message = exchange.files, await exchange.message(Move)
    path, to = files.new_path(message.path), files.new_path(message.to)
    await files.remote.rename(path, to, replace=message.replace)
    return exchange.answer(await files.entry(to))


async def change_mode(exchange: Exchange) -> web.StreamResponse:
    """Answer POST `mode`."""
    files, message = exchange.files, await exchange.message(ChangeMode)
    if not 0 <= message.mode <= _MAX_MODE:
        raise files.failed(FileProblem.BAD_REQUEST, Text.BAD_MODE)
    path = files.path(message.path)
    await files.remote.set_mode(path, message.mode)
    return exchange.answer(await files.entry(path))


async def make_name(exchange: Exchange) -> web.StreamResponse:
    """Answer POST `name`."""
    return exchange.answer(typed_name(exchange.files, (await exchange.message(NewName)).text))


def typed_name(files: OpenFiles, text: str) -> Name:
    """Return the name that a person typed. Its letters stay as they were typed. Raises `FilesFailed` if no file can
    have this name.
    """
    codec = _WRITTEN.get(files.charset, "utf-8")
    try:
        name = text.encode(codec)
    except UnicodeEncodeError as error:
        raise files.failed(FileProblem.BAD_REQUEST, Text.NAME_CHARSET, charset=codec.upper()) from error
    if not name:
        raise files.failed(FileProblem.BAD_REQUEST, Text.NAME_EMPTY)
    if name in {b".", b".."}:
        raise files.failed(FileProblem.BAD_REQUEST, Text.NAME_RESERVED, name=visible(text))
    if b"/" in name:
        raise files.failed(FileProblem.BAD_REQUEST, Text.NAME_SLASH)
    if b"\0" in name:
        raise files.failed(FileProblem.BAD_REQUEST, Text.NAME_NUL)
    if len(name) > MAX_NAME_BYTES:
        raise files.failed(FileProblem.BAD_REQUEST, Text.NAME_LONG, bytes=len(name))
    return name_of(name, files.charset)
