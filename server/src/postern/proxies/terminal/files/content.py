"""Reading a file: its content with ranges, a picture for the page, and what HTTP says about it."""

import contextlib
import re
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from aiohttp import web

from postern.contracts.files import MAX_PICTURE_BYTES, FileProblem
from postern.proxies.core.targets.files import Attributes
from postern.proxies.terminal.files.exchange import Exchange, problem_answer
from postern.proxies.terminal.files.texts import Text

#: What a browser shows may run nothing and load nothing.
_SANDBOX: Final = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_UNSAFE_IN_QUOTES: Final = re.compile(r'[^\x20-\x7e]|["\\%;]')


def etag_of(attributes: Attributes) -> str:
    """Return a strong validator from size and time, which is all that a host states cheaply; "" without them."""
    if attributes.size is None or attributes.modified is None:
        return ""
    return f'"{attributes.size:x}-{attributes.modified:x}"'


def attachment(name: str) -> str:
    """Return the `Content-Disposition` of a download: a name in ASCII, and the right one for newer browsers."""
    plain = _UNSAFE_IN_QUOTES.sub("_", name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


@dataclass(frozen=True, slots=True)
class Span:
    """The part of a file that is asked for. `is_part` if it was asked for as a range."""

    offset: int
    size: int
    is_part: bool


def span_of(header: str, size: int) -> Span | None:
    """Return the part that a Range header asks for; None if the file has no such part. A header that asks for several
    parts, or that makes no sense, asks for the whole file (RFC 9110, section 14.2).
    """
    match = _RANGE.fullmatch(header.strip())
    if match is None or match.group(1) == match.group(2) == "":
        return Span(0, size, is_part=False)
    first, last = match.groups()
    if not first:
        wanted = min(int(last), size)
        return Span(size - wanted, wanted, is_part=True) if wanted else None
    if last and int(last) < int(first):
        return Span(0, size, is_part=False)
    if int(first) >= size:
        return None
    end = min(int(last), size - 1) if last else size - 1
    return Span(int(first), end - int(first) + 1, is_part=True)


def _asked_span(request: web.Request, attributes: Attributes) -> Span | None:
    header, etag = request.headers.get("Range", ""), etag_of(attributes)
    condition = request.headers.get("If-Range")
    if condition is not None and (not etag or condition.strip() != etag):
        header = ""
    return span_of(header, attributes.size or 0)


def _matches(header: str, etag: str) -> bool:
    return header.strip() == "*" or etag in [one.strip() for one in header.split(",")]


async def content(exchange: Exchange) -> web.StreamResponse:
    """Answer GET and HEAD `content`: the file, or a range of it."""
    files, request, path = exchange.files, exchange.request, exchange.path()
    attributes = await files.readable_file(path)
    if request.method == "HEAD":
        headers = {**_headers(exchange, path, attributes), "Content-Length": str(attributes.size)}
        return exchange.empty(200, headers)
    if (early := _early_answer(exchange, attributes)) is not None:
        return early  # the file is not opened, so nothing is logged as a transfer
    reading, size = await files.open_reading(path)
    try:
        attributes = reading.attributes
        span = _asked_span(request, attributes)
        if span is None:
            return _no_such_part(exchange, size)
        headers = _headers(exchange, path, attributes)
        if span.is_part:
            headers["Content-Range"] = f"bytes {span.offset}-{span.offset + span.size - 1}/{size}"
        pieces = files.pieces(reading, span.offset, span.size)
        return await send(exchange, pieces, span.size, headers, status=206 if span.is_part else 200)
    finally:
        await reading.close()


def _early_answer(exchange: Exchange, attributes: Attributes) -> web.StreamResponse | None:
    """Return the answer to a request whose conditions or range the file does not meet. Raises `FilesFailed`."""
    asked, etag = exchange.request.headers, etag_of(attributes)
    if "If-Match" in asked and not _matches(asked["If-Match"], etag):
        raise exchange.files.failed(FileProblem.CHANGED, Text.CHANGED)
    if etag and _matches(asked.get("If-None-Match", ""), etag):
        return exchange.empty(304, {"ETag": etag})
    if _asked_span(exchange.request, attributes) is None:
        return _no_such_part(exchange, attributes.size or 0)
    return None


def _no_such_part(exchange: Exchange, size: int) -> web.StreamResponse:
    failure = exchange.files.failed(FileProblem.BAD_RANGE, Text.BAD_RANGE)
    return problem_answer(failure, {"Content-Range": f"bytes */{size}"})


def _headers(exchange: Exchange, path: bytes, attributes: Attributes) -> dict[str, str]:
    headers = {
        "Content-Type": "application/octet-stream",
        "Content-Disposition": attachment(exchange.files.shown(path)),
        "Accept-Ranges": "bytes",
        **_SANDBOX,
    }
    if etag := etag_of(attributes):
        headers["ETag"] = etag
    return headers


async def send(
    exchange: Exchange, pieces: AsyncGenerator[bytes], size: int, headers: Mapping[str, str], *, status: int = 200
) -> web.StreamResponse:
    """Send `size` bytes. The answer begins with the first of them, so that an earlier failure is told in words.

    Raises `FilesFailed` if fewer come: the answer must not look whole.
    """
    left = size
    async with contextlib.aclosing(pieces):
        async for piece in pieces:
            if not exchange.has_begun:
                await exchange.begin(headers, status=status, size=size)
            left -= len(piece)
            await exchange.write(piece)
    if left:
        raise exchange.files.failed(FileProblem.FAILED, Text.SHRANK)
    if not exchange.has_begun:
        await exchange.begin(headers, status=status, size=size)
    return exchange.end()


def picture_type(beginning: bytes) -> str:
    """Return the type of a picture that a browser may show; "" for everything else, above all what could run."""
    if beginning.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if beginning.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if beginning.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if beginning[:4] == b"RIFF" and beginning[8:12] == b"WEBP":
        return "image/webp"
    if beginning[4:12] in {b"ftypavif", b"ftypavis"}:
        return "image/avif"
    return ""


async def picture(exchange: Exchange) -> web.StreamResponse:
    """Answer GET `picture`: a file that is a picture, to be shown in the page."""
    files, path = exchange.files, exchange.path()
    reading, size = await files.open_reading(path, most=MAX_PICTURE_BYTES)
    try:
        async with contextlib.aclosing(files.pieces(reading, 0, size)) as pieces:
            first = await anext(pieces, b"")
            kind = picture_type(first)
            if not kind:
                raise files.failed(FileProblem.BAD_REQUEST, Text.NOT_A_PICTURE, name=files.shown(path))
            return await send(exchange, _after(first, pieces), size, {"Content-Type": kind, **_SANDBOX})
    finally:
        await reading.close()


async def _after(first: bytes, rest: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    yield first
    async for piece in rest:
        yield piece
