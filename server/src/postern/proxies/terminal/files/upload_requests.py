"""The requests of an upload."""

from typing import Final

from aiohttp import web

from postern.contracts.files import BeginUpload, FileProblem, FinishUpload
from postern.proxies.terminal.files.exchange import Exchange
from postern.proxies.terminal.files.texts import Text
from postern.proxies.terminal.files.uploads import Uploads

_MAX_DIGITS: Final = 19


async def begin(exchange: Exchange, uploads: Uploads) -> web.StreamResponse:
    """Answer POST `upload`."""
    return exchange.answer(await uploads.begin(await exchange.message(BeginUpload)))


async def put(exchange: Exchange, uploads: Uploads) -> web.StreamResponse:
    """Answer PUT `upload/{id}?offset=`."""
    upload = uploads.find(exchange.argument)
    offset, length = exchange.request.query.get("offset", ""), exchange.request.content_length
    if length is None or not (offset.isascii() and offset.isdecimal() and len(offset) <= _MAX_DIGITS):
        raise exchange.files.failed(FileProblem.BAD_REQUEST, Text.BAD_BODY)
    return exchange.answer(await uploads.put(upload, int(offset), length, exchange))


async def finish(exchange: Exchange, uploads: Uploads) -> web.StreamResponse:
    """Answer POST `upload/{id}/finish`."""
    message = await exchange.message(FinishUpload)
    return exchange.answer(await uploads.finish(exchange.argument, replace=message.replace))


async def cancel(exchange: Exchange, uploads: Uploads) -> web.StreamResponse:
    """Answer DELETE `upload/{id}`."""
    await uploads.cancel(uploads.find(exchange.argument))
    return exchange.empty(204)
