"""Transfers of the file manager between browsers and proxies, over real servers: back-pressure, and every way to end."""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from io import BytesIO

import aiohttp
import pytest
from aiohttp import web
from files_page import MIB, FilesPage, client, problem
from live import csrf, in_thread, run, sign_in, standstill

from postern.apps.sessions.files import asked
from postern.apps.sessions.sessions.consumers import sign_in_watch
from postern.contracts.files import SLICE_BYTES
from timing import soon_async


def test_hundred_megabytes_pass_both_ways_unchanged(files_page: FilesPage) -> None:
    block = hashlib.shake_256(b"blocks that repeat only here and there").digest(MIB)
    blocks = [block[n:] + block[:n] for n in range(100)]
    whole = hashlib.sha256(b"".join(blocks)).hexdigest()
    arrived = hashlib.sha256()

    async def serve(request: web.Request) -> web.StreamResponse:
        if request.method == "PUT":
            async for piece in request.content.iter_any():
                arrived.update(piece)
            return web.Response(status=204)
        answer = web.StreamResponse(headers={"Content-Type": "application/octet-stream"})
        if "chunked" not in request.query:
            answer.content_length = 100 * MIB
        await answer.prepare(request)
        for part in blocks:
            await answer.write(part)
        await answer.write_eof()
        return answer

    async def story() -> None:
        async with files_page.behind(serve), client() as http:
            for start in range(0, 100, 8):
                data = BytesIO(b"".join(blocks[start : start + 8]))
                async with http.put(
                    files_page.url(f"upload/u?offset={start}"), headers=files_page.headers(), data=data
                ) as answer:
                    assert answer.status == 204
            for query in ("", "?chunked"):
                got = hashlib.sha256()
                async with http.get(files_page.url(f"file{query}"), headers=files_page.headers()) as answer:
                    async for piece in answer.content.iter_any():
                        got.update(piece)
                assert got.hexdigest() == whole

    run(story)
    assert arrived.hexdigest() == whole


def test_answer_before_the_end_of_the_body_arrives(files_page: FilesPage) -> None:
    """A slice at a wrong place is answered at its head."""

    async def refuse(_request: web.Request) -> web.Response:
        return web.json_response({"code": "wrong_offset", "detail": "", "offset": 5}, status=409)

    async def story() -> None:
        async with files_page.behind(refuse), client() as http:
            for _ in range(3):
                data = BytesIO(b"x" * SLICE_BYTES)
                async with http.put(
                    files_page.url("upload/u?offset=1"), headers=files_page.headers(), data=data
                ) as answer:
                    assert await problem(answer) == (409, "wrong_offset")

    run(story)


async def flood(request: web.Request, *, count: Callable[[int], None], length: int | None = None) -> web.StreamResponse:
    """Answer without an end; `count` gets the size of each piece that was written."""
    answer = web.StreamResponse(headers={"Content-Type": "application/octet-stream"})
    if length is not None:
        answer.content_length = length
    await answer.prepare(request)
    while True:
        await answer.write(b"y" * 65_536)
        count(65_536)


def test_nothing_piles_up_for_a_browser_that_does_not_read(files_page: FilesPage) -> None:
    sent = 0

    def count(size: int) -> None:
        nonlocal sent
        sent += size

    async def story() -> None:
        async with (
            files_page.behind(partial(flood, count=count)),
            client() as http,
            http.get(files_page.url("file"), headers=files_page.headers()) as answer,
        ):
            first = await standstill(lambda: sent)
            assert first < 16 * MIB, "more than the buffers of the sockets hold"
            while sent == first:  # goes on as soon as the browser reads
                await answer.content.readany()
            answer.close()

    run(story)


def test_nothing_piles_up_for_a_proxy_that_does_not_read(
    files_page: FilesPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asked, "MAX_BODY_BYTES", 256 * MIB)
    sent = 0

    async def story() -> None:
        let_go = asyncio.Event()

        async def deaf(request: web.Request) -> web.Response:
            await let_go.wait()
            assert request.transport is not None
            request.transport.abort()
            return web.Response()

        async def body() -> AsyncIterator[bytes]:
            nonlocal sent
            while sent < 256 * MIB:
                yield b"z" * 65_536
                sent += 65_536

        async def put(http: aiohttp.ClientSession) -> None:
            headers = files_page.headers(Content_Length=str(256 * MIB))
            async with http.put(files_page.url("upload/u"), headers=headers, data=body()) as answer:
                assert await problem(answer) == (502, "proxy_gone")

        async with files_page.behind(deaf), client() as http:
            task = asyncio.create_task(put(http))
            assert 0 < await standstill(lambda: sent) < 16 * MIB
            let_go.set()
            await task

    run(story)


@pytest.mark.parametrize("length", [None, 64 * MIB])
def test_answer_of_a_proxy_that_dies_does_not_look_whole(files_page: FilesPage, length: int | None) -> None:
    async def die(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "application/octet-stream"})
        answer.content_length = length
        await answer.prepare(request)
        await answer.write(b"y" * 1000)
        assert request.transport is not None
        request.transport.close()
        return answer

    async def story() -> None:
        async with (
            files_page.behind(die),
            client() as http,
            http.get(files_page.url("file"), headers=files_page.headers()) as answer,
        ):
            assert answer.status == 200
            with pytest.raises(aiohttp.ClientPayloadError):
                await answer.read()

    run(story)


def test_answer_that_only_the_end_of_the_connection_ends_is_refused(files_page: FilesPage) -> None:
    """Its half could not be told from the whole."""

    async def story() -> None:
        async def old(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nhalf of it")
            writer.close()

        async with (
            await asyncio.start_unix_server(old, str(files_page.path)),
            client() as http,
            http.get(files_page.url("file"), headers=files_page.headers()) as answer,
        ):
            assert await problem(answer) == (502, "proxy_gone")

    run(story)


def test_proxy_that_dies_before_its_answer_is_named(files_page: FilesPage) -> None:
    async def die(request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def story() -> None:
        async with files_page.behind(die), client() as http:
            for data in (None, BytesIO(b"x" * SLICE_BYTES)):
                async with http.put(files_page.url("upload/u"), headers=files_page.headers(), data=data) as answer:
                    assert await problem(answer) == (502, "proxy_gone")

    run(story)


def test_proxy_learns_that_the_browser_left(files_page: FilesPage) -> None:
    async def story() -> None:
        began, left = asyncio.Event(), asyncio.Event()

        async def serve(request: web.Request) -> web.StreamResponse:
            began.set()
            try:
                if request.path.endswith("/silent"):
                    await asyncio.Event().wait()
                if request.method == "PUT":
                    await request.read()
                return await flood(request, count=lambda _size: None)
            finally:
                left.set()

        async def stuck() -> AsyncIterator[bytes]:
            yield b"x"
            await asyncio.Event().wait()

        async def go(http: aiohttp.ClientSession, method: str, operation: str) -> None:
            began.clear()
            left.clear()
            data, headers = (
                (stuck(), files_page.headers(Content_Length="10")) if method == "PUT" else (None, files_page.headers())
            )
            asking = asyncio.create_task(
                http.request(method, files_page.url(operation), headers=headers, data=data).__aenter__()
            )
            await began.wait()
            if operation == "read":
                answer = await asking
                await answer.content.readany()
                answer.close()
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            async with asyncio.timeout(60):
                await left.wait()

        async with files_page.behind(serve), client() as http:
            await go(http, "GET", "read")
            await go(http, "GET", "silent")
            await go(http, "PUT", "upload/u")

    run(story)


def test_k40_signing_out_ends_a_transfer_within_five_seconds(files_page: FilesPage) -> None:
    async def cut() -> float:
        async with (
            files_page.behind(partial(flood, count=lambda _size: None)),
            client() as http,
            http.get(files_page.url("file"), headers=files_page.headers()) as answer,
        ):
            await answer.content.readany()
            started = time.monotonic()
            await in_thread(
                lambda: files_page.browser.post("/api/v1/authentication/sign-out/", headers=csrf(files_page.browser))
            )
            with pytest.raises(aiohttp.ClientPayloadError):
                async for _piece in answer.content.iter_any():
                    pass
            took = time.monotonic() - started
        await in_thread(lambda: sign_in(files_page.browser))
        return took

    async def story() -> None:
        await soon_async(cut, 5)

    run(story)


def test_signing_out_ends_a_request_that_waits_for_its_answer(
    files_page: FilesPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_in_watch, "RECHECK_S", 0.05)

    async def story() -> None:
        began, ended = asyncio.Event(), asyncio.Event()

        async def wait(_request: web.Request) -> web.Response:
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            return web.Response()

        async with files_page.behind(wait), client() as http:
            async with asyncio.TaskGroup() as group:

                async def ask() -> None:
                    async with http.post(files_page.url("delete"), headers=files_page.headers(), data=b"{}") as answer:
                        assert await problem(answer) == (401, "not_signed_in")

                group.create_task(ask())
                await began.wait()
                out = "/api/v1/authentication/sign-out/"
                await in_thread(lambda: files_page.browser.post(out, headers=csrf(files_page.browser)))
            await ended.wait()

    run(story)
