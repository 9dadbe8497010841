"""GET `archive`: files and folders with everything in them, as one download that is made while it is read."""

import contextlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from aiohttp import web

from postern.contracts.enums import Actions
from postern.contracts.files import FileKind, FileProblem
from postern.kernel.clock import now
from postern.proxies.core.targets.files import Attributes, FilesFailed, RemoteEntry
from postern.proxies.terminal.files.content import attachment
from postern.proxies.terminal.files.exchange import Exchange
from postern.proxies.terminal.files.limits import MISSING_KEPT
from postern.proxies.terminal.files.names import readable_or_none, shown, split, visible, within
from postern.proxies.terminal.files.open_files import OF_ONE_FILE
from postern.proxies.terminal.files.tar_format import TarFormat
from postern.proxies.terminal.files.texts import Text
from postern.proxies.terminal.files.zip_format import ZipFormat

_FORMATS: Final[dict[str, type[ZipFormat] | type[TarFormat]]] = {"zip": ZipFormat, "tar": TarFormat}
_SEND_BYTES: Final = 128 * 1024
_MISSING: Final = "MISSING.txt"
_USUAL_NAME: Final = "files"


class Format(Protocol):
    """What makes the bytes of an archive."""

    @property
    def content_type(self) -> str: ...
    @property
    def suffix(self) -> str: ...
    @property
    def may_break_off(self) -> bool:
        """Whether a file may have fewer bytes than were announced."""

    @property
    def is_full(self) -> bool:
        """Whether the archive takes no more entries."""

    def name_of(self, text: str, raw: bytes) -> str: ...
    def folder(self, path: str, attributes: Attributes) -> bytes: ...
    def link(self, path: str, attributes: Attributes, target: str) -> bytes | None: ...
    def begin(self, path: str, attributes: Attributes, size: int) -> bytes: ...
    def data(self, piece: bytes) -> bytes: ...
    def end(self) -> bytes: ...
    def finish(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class _Item:
    """A file on the host, and its path inside the archive."""

    path: bytes
    inside: str
    attributes: Attributes


async def archive(exchange: Exchange) -> web.StreamResponse:
    """Answer GET `archive`."""
    files = exchange.files
    kind = _FORMATS.get(exchange.request.query.get("format", "zip"))
    if kind is None:
        raise files.failed(FileProblem.BAD_REQUEST, Text.BAD_BODY)
    paths = list(dict.fromkeys(exchange.paths()))
    chosen = [(path, await files.remote.look(path, follow=False)) for path in paths]
    return await _Archive(exchange, kind(), _name(exchange, paths)).send(chosen)


def _name(exchange: Exchange, paths: list[bytes]) -> str:
    """Return the name of the download: that of the only file, or of the folder that all are in."""
    name = split(paths[0])[1] if len(paths) == 1 else split(split(paths[0])[0])[1]
    return shown(name, exchange.files.charset) or _USUAL_NAME


class _Archive:
    """One archive that is being sent."""

    def __init__(self, exchange: Exchange, made: Format, name: str) -> None:
        self._exchange = exchange
        self._files = exchange.files
        self._format = made
        self._name = name
        self._waiting = bytearray()
        self._names: set[str] = {_MISSING}
        self._missing: list[str] = []
        self._missing_count = 0

    async def send(self, chosen: list[tuple[bytes, Attributes]]) -> web.StreamResponse:
        """Send everything that was chosen. Raises `FilesFailed` if the archive cannot be whole."""
        headers = {
            "Content-Type": self._format.content_type,
            "Content-Disposition": attachment(self._name + self._format.suffix),
            "Accept-Ranges": "none",
            "Content-Security-Policy": "sandbox; default-src 'none'",
        }
        await self._exchange.begin(headers)
        for path, attributes in chosen:
            name = split(path)[1]
            inside = self._unique(self._inside(name) if name else _USUAL_NAME)
            await self._add_tree(_Item(path, inside, attributes))
        await self._add_missing()
        self._waiting += self._format.finish()
        await self._exchange.write(self._waiting)
        return self._exchange.end()

    def _inside(self, name: bytes) -> str:
        text = readable_or_none(name, self._files.charset)
        return self._format.name_of("" if text is None else text, name)

    def _unique(self, name: str) -> str:
        """Return a name that nothing else has at the top of the archive."""
        stem, dot, ending = name.rpartition(".")
        made, number = name, 1
        while made in self._names:
            number += 1
            made = f"{stem} ({number}){dot}{ending}" if stem else f"{name} ({number})"
        self._names.add(made)
        return made

    async def _add_tree(self, top: _Item) -> None:
        """Add a file, or a folder with everything in it. One folder is read at a time."""
        waiting = [top]
        while waiting:
            item = waiting.pop()
            if self._is_full(item):
                return
            if item.attributes.kind is not FileKind.FOLDER:
                await self._add(item)
                continue
            await self._out(self._format.folder(item.inside, item.attributes))
            async with contextlib.aclosing(self._files.entries(item.path)) as pieces:
                while piece := await self._next(item, pieces):
                    await self._files.go_on(Actions.DOWNLOAD_FILE)
                    for each in piece:
                        if self._is_full(item):
                            return
                        inside = f"{item.inside}/{self._inside(each.name)}"
                        inner = _Item(within(item.path, each.name), inside, each.attributes)
                        if each.attributes.kind is FileKind.FOLDER:
                            waiting.append(inner)
                        else:
                            await self._add(inner)

    def _is_full(self, item: _Item) -> bool:
        """Whether everything from this item on is missing, because the archive takes no more. Notes that."""
        if self._format.is_full:
            self._note(item, Text.MISSING_FULL.say(self._files.session.language))
        return self._format.is_full

    async def _next(self, folder: _Item, pieces: AsyncGenerator[Sequence[RemoteEntry]]) -> Sequence[RemoteEntry]:
        """Return the next entries of a folder; none at its end, or when it cannot be read on."""
        try:
            async for piece in pieces:
                if piece:
                    return piece
        except FilesFailed as failure:
            self._miss(folder, failure)
        return ()

    async def _add(self, item: _Item) -> None:
        """Add a file or a link."""
        language = self._files.session.language
        if item.attributes.kind is FileKind.LINK:
            await self._add_link(item)
        elif item.attributes.kind is FileKind.OTHER:
            self._note(item, Text.MISSING_OTHER.say(language))
        else:
            await self._add_file(item)

    async def _add_link(self, item: _Item) -> None:
        try:
            target = await self._files.remote.read_link(item.path)
        except FilesFailed as failure:
            self._miss(item, failure)
            return
        text = readable_or_none(target, self._files.charset) or target.decode("utf-8", "surrogateescape")
        entry = self._format.link(item.inside, item.attributes, text)
        if entry is not None:
            await self._out(entry)
        else:
            where = shown(target, self._files.charset)
            self._note(item, Text.MISSING_LINK.say(self._files.session.language, target=where))

    async def _add_file(self, item: _Item) -> None:
        made = self._format
        try:
            reading = await self._files.remote.open_reading(item.path)
        except FilesFailed as failure:
            self._miss(item, failure)
            return
        try:
            attributes = reading.attributes
            size = attributes.size
            if attributes.kind is not FileKind.FILE or size is None:
                self._note(item, Text.MISSING_OTHER.say(self._files.session.language))
                return
            await self._out(made.begin(item.inside, attributes, size))
            got = 0
            try:
                async with contextlib.aclosing(self._files.pieces(reading, 0, size)) as pieces:
                    async for piece in pieces:
                        got += len(piece)
                        await self._out(made.data(piece))
            except FilesFailed as failure:
                if not made.may_break_off:
                    raise
                self._miss(item, failure)
            else:
                self._check(item, got, size)
            await self._out(made.end())
        finally:
            await reading.close()

    def _check(self, item: _Item, got: int, size: int) -> None:
        if got == size:
            return
        if not self._format.may_break_off:
            raise self._files.failed(FileProblem.FAILED, Text.SHRANK)
        self._note(item, Text.MISSING_SHORT.say(self._files.session.language, got=f"{got:,}", size=f"{size:,}"))

    def _miss(self, item: _Item, failure: FilesFailed) -> None:
        """Note that a file is missing, and why. Raises the failure if it is not of this file alone."""
        if failure.problem not in OF_ONE_FILE or self._files.session.end_reason is not None:
            raise failure
        self._note(item, failure.message)

    def _note(self, item: _Item, why: str) -> None:
        self._missing_count += 1
        if self._missing_count <= MISSING_KEPT:
            inside = item.inside.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            self._missing.append(f"{visible(inside)}: {why}")

    async def _add_missing(self) -> None:
        if not self._missing:
            return
        language = self._files.session.language
        lines = [Text.MISSING_TITLE.say(language), "", *self._missing]
        if self._missing_count > MISSING_KEPT:
            lines.append(Text.MISSING_MORE.say(language, count=self._missing_count - MISSING_KEPT))
        data = "\r\n".join([*lines, ""]).encode()
        attributes = Attributes(kind=FileKind.FILE, size=len(data), modified=int(now().timestamp()))
        made = self._format
        await self._out(made.begin(_MISSING, attributes, len(data)) + made.data(data) + made.end())

    async def _out(self, data: bytes) -> None:
        """Send bytes, many small ones together."""
        self._waiting += data
        if len(self._waiting) >= _SEND_BYTES:
            data, self._waiting = bytes(self._waiting), bytearray()
            await self._exchange.write(data)
