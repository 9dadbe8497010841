"""Small texts: reading them for the page, and saving what a person has written."""

import asyncio
import contextlib
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from postern.contracts.enums import Actions
from postern.contracts.files import MAX_TEXT_BYTES, FileKind, FileProblem, TextFile
from postern.proxies.core.charset import codec_of
from postern.proxies.core.targets.files import Attributes, FilesFailed
from postern.proxies.terminal.files.content import etag_of
from postern.proxies.terminal.files.exchange import Exchange
from postern.proxies.terminal.files.names import split, within
from postern.proxies.terminal.files.open_files import OpenFiles
from postern.proxies.terminal.files.texts import Text

#: A character takes up to three times as many bytes in UTF-8 as on the host.
_MAX_BODY_BYTES: Final = 3 * MAX_TEXT_BYTES
_FORMS_KEPT: Final = 64
_PRIVATE_MODE: Final = 0o600
_MODE: Final = 0o777
_CHARACTERS_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Form:
    """How a text is written on the host. `has_crlf`: each of its lines ends with CR and LF."""

    codec: str
    has_crlf: bool


class Texts:
    """The texts that a session has opened."""

    def __init__(self, files: OpenFiles) -> None:
        self._files = files
        self._forms: OrderedDict[tuple[bytes, str], Form] = OrderedDict()
        self._saving = asyncio.Lock()

    async def show(self, exchange: Exchange) -> web.StreamResponse:
        """Answer GET `text`."""
        files = self._files
        path = await files.remote.real_path(exchange.path())
        reading, size = await files.open_reading(path, most=MAX_TEXT_BYTES)
        try:
            async with contextlib.aclosing(files.pieces(reading, 0, size)) as pieces:
                data = b"".join([piece async for piece in pieces])
        finally:
            await reading.close()
        if len(data) < size:
            raise files.failed(FileProblem.FAILED, Text.SHRANK)
        text, form = self._decoded(path, data)
        etag = etag_of(reading.attributes)
        self._remember(path, etag, form)
        is_writable = bool(etag) and files.session.may(Actions.UPLOAD_FILE)
        answer = TextFile(text=text, charset=form.codec, etag=etag, is_writable=is_writable)
        return exchange.answer(answer, {"ETag": etag} if etag else {})

    async def save(self, exchange: Exchange) -> web.StreamResponse:
        """Answer PUT `text`: replace the file in one step, unless it has changed since the page read it."""
        files, etag = self._files, exchange.request.headers.get("If-Match", "").strip()
        if not etag:
            raise files.failed(FileProblem.BAD_REQUEST, Text.NO_IF_MATCH)
        body = await exchange.body(_MAX_BODY_BYTES)
        try:
            text = body.decode()
        except UnicodeDecodeError as error:
            raise files.failed(FileProblem.BAD_REQUEST, Text.BAD_BODY) from error
        path = await files.remote.real_path(exchange.path())
        async with self._saving:
            before = await self._unchanged(path, etag)
            form = self._forms.get((path, etag)) or await self._form(path)
            data = self._encoded(path, text, form)
            await self._replace(path, data, before, etag)
            attributes = await files.remote.look(path, follow=False)
        new_etag = etag_of(attributes)
        self._remember(path, new_etag, form)
        return exchange.answer(await files.entry_of(path, attributes), {"ETag": new_etag} if new_etag else {})

    async def _unchanged(self, path: bytes, etag: str) -> Attributes:
        """Return the attributes of a file that is as the page has read it."""
        attributes = await self._files.remote.look(path, follow=False)
        if attributes.kind is not FileKind.FILE or etag_of(attributes) != etag:
            raise self._files.failed(FileProblem.CHANGED, Text.CHANGED)
        return attributes

    async def _replace(self, path: bytes, data: bytes, before: Attributes, etag: str) -> None:
        files = self._files
        remote = files.remote
        part = within(split(path)[0], b".postern-" + secrets.token_hex(16).encode() + b".part")
        writing = await remote.open_writing(part, stands_for=path, mode=_PRIVATE_MODE)
        try:
            await writing.write(data)
            await writing.settle()
            await writing.sync()
            await files.keep_owner(part, before)
            await remote.set_mode(part, (before.mode or 0) & _MODE or _PRIVATE_MODE)
            await self._unchanged(path, etag)
            files.require(Actions.UPLOAD_FILE)
            await writing.close()  # from here on the log says that the text arrived
            await remote.rename(part, path, replace=True)
        except BaseException:
            await writing.give_up()
            with contextlib.suppress(FilesFailed):
                await remote.remove(part)
            raise

    async def _form(self, path: bytes) -> Form:
        """Read the file again, because this session has not opened it."""
        self._files.require(Actions.DOWNLOAD_FILE)
        data = await self._files.read(path, MAX_TEXT_BYTES + 1)
        if len(data) > MAX_TEXT_BYTES:
            raise self._files.too_large(path, MAX_TEXT_BYTES)
        return self._decoded(path, data)[1]

    def _decoded(self, path: bytes, data: bytes) -> tuple[str, Form]:
        """Return the text of a file and its form. Raises `FilesFailed` if it is no text."""
        if b"\0" not in data:
            for codec in _codecs(self._files.charset):
                with contextlib.suppress(UnicodeDecodeError):
                    text = data.decode(codec)
                    return text, Form(codec, has_crlf=0 < text.count("\n") == text.count("\r\n"))
        raise self._files.failed(FileProblem.BAD_REQUEST, Text.IS_BINARY, name=self._files.shown(path))

    def _encoded(self, path: bytes, text: str, form: Form) -> bytes:
        """Return the bytes of a text. A page turns CR and LF into LF, so they are put back."""
        if form.has_crlf and "\r" not in text:
            text = text.replace("\n", "\r\n")
        try:
            data = text.encode(form.codec)
        except UnicodeEncodeError as error:
            lacking = sorted({character for character in text if not _is_in(character, form.codec)})
            named = " ".join(lacking[:_CHARACTERS_NAMED])
            raise self._files.failed(
                FileProblem.BAD_REQUEST, Text.TEXT_CHARSET, charset=form.codec.upper(), characters=named
            ) from error
        if len(data) > MAX_TEXT_BYTES:
            raise self._files.too_large(path, MAX_TEXT_BYTES)
        return data

    def _remember(self, path: bytes, etag: str, form: Form) -> None:
        self._forms[path, etag] = form
        while len(self._forms) > _FORMS_KEPT:
            self._forms.popitem(last=False)


def _codecs(charset: str) -> tuple[str, ...]:
    """Return the codecs in which a text of the host may be written. GBK before its superset, in which a program of the
    host could not read new characters.
    """
    widest = codec_of(charset)
    return ("utf-8",) if widest == "utf-8" else ("utf-8", charset, widest)


def _is_in(character: str, codec: str) -> bool:
    try:
        character.encode(codec)
    except UnicodeEncodeError:
        return False
    return True
