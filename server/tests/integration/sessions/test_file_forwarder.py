"""The file manager's requests from browsers to proxies, over real servers: who may, what passes, and how it ends."""

import asyncio
import hashlib
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import pytest
from aiohttp import web
from django.db import OperationalError
from django.test import Client
from live import LiveServer, csrf, in_thread, run, sign_in, standstill
from yarl import URL

from factories.proxy_client import Proxy
from postern.apps.authn.models import LoginSession
from postern.apps.sessions.files import asked, forwarder
from postern.apps.sessions.models import Terminal
from postern.apps.sessions.sessions.consumers import sign_in_watch
from postern.apps.users.models import User
from postern.contracts.files import SLICE_BYTES
from postern.foundation.configuration.environ import Address
from postern.foundation.requests.body_guard import Patience
from postern.kernel import clock
from timing import soon_async

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
SESSION = str(uuid4())
MIB = 1024 * 1024


@asynccontextmanager
async def endpoint(site_of: Callable[[web.AppRunner], web.BaseSite], handler: Handler) -> AsyncIterator[web.BaseSite]:
    """A proxy's file manager endpoint; `handler` answers each request."""
    application = web.Application(client_max_size=0)
    application.router.add_route("*", "/{rest:.*}", handler)
    runner = web.AppRunner(application, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = site_of(runner)
    await site.start()
    try:
        yield site
    finally:
        await runner.cleanup()


@asynccontextmanager
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    """A browser's connections. They are closed at the end, also those on which an answer came before the body's end."""
    made: list[socket.socket] = []

    def make(info: aiohttp.AddrInfoType) -> socket.socket:
        made.append(socket.socket(*info[:3]))
        return made[-1]

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(socket_factory=make)) as http:
        yield http
    while any(one.fileno() != -1 for one in made):  # noqa: ASYNC110 - asyncio does not tell
        await asyncio.sleep(0.01)


class Page:
    """A page of the console in a signed-in browser, whose session is carried by the proxy at a Unix socket."""

    def __init__(self, live: LiveServer, proxy: Proxy, browser: Client, path: Path) -> None:
        self.live = live
        self.proxy = proxy
        self.browser = browser
        self.path = path

    def behind(self, handler: Handler) -> Any:
        return endpoint(lambda runner: web.UnixSite(runner, str(self.path)), handler)

    def url(self, operation: str, terminal_id: object = None) -> URL:
        path = f"/files/{terminal_id or self.proxy.id}/{SESSION}/{operation}"
        return URL(f"http://{self.live.host}{path}", encoded=True)

    def headers(self, **more: str | None) -> dict[str, str]:
        """Those of a request of the page; None leaves one out."""
        cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in self.browser.cookies.items())
        given = {"Cookie": cookies, "Origin": f"http://{self.live.host}", **csrf(self.browser)}
        given |= {name.replace("_", "-"): value for name, value in more.items()}  # type: ignore[dict-item]
        return {name: value for name, value in given.items() if value is not None}


@pytest.fixture
def page(live: LiveServer, proxy: Proxy, browser: Client, tmp_path: Path) -> Page:
    path = tmp_path / "files.sock"
    proxy.beat(files_address=f"unix:{path}")
    return Page(live, proxy, browser, path)


async def ok(_request: web.Request) -> web.Response:
    return web.json_response({"fine": True})


async def problem(answer: aiohttp.ClientResponse) -> tuple[int, str]:
    return answer.status, (await answer.json())["code"]


def test_request_and_answer_pass(page: Page) -> None:
    seen: list[tuple[str, str, dict[str, str], bytes]] = []

    async def look(request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        seen.append((request.method, request.raw_path, headers, await request.read()))
        told = {"ETag": '"1"', "Set-Cookie": "sessionid=x", "Cache-Control": "private, max-age=5"}
        return web.Response(status=206, body=b"part", content_type="image/png", headers=told)

    forged = {"X-Postern-User": str(uuid4()), "X-Postern-Remote-Addr": "6.6.6.6", "X-Forwarded-For": "7.7.7.7"}

    async def story() -> None:
        async with page.behind(look), client() as http:
            url = page.url("upload/u-1?offset=0&path=YQ%2FYg")
            more = page.headers(Range="bytes=0-3", If_Match='"0"', Content_Type="application/json", **forged)
            async with http.put(url, data=b"body", headers=more) as answer:
                assert (answer.status, await answer.read(), answer.headers["ETag"]) == (206, b"part", '"1"')
                assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
                assert answer.headers["Cache-Control"] == "private, max-age=5"
                assert "Set-Cookie" not in answer.headers
            async with http.head(page.url("file"), headers=page.headers()) as answer:
                assert (answer.status, answer.headers["Content-Length"], await answer.read()) == (206, "4", b"")
            async with http.post(page.url("folder"), headers=page.headers()) as answer:
                assert answer.status == 206
            async with http.delete(page.url("upload/u-1"), headers=page.headers()) as answer:
                assert answer.status == 206

    run(story)
    methods = [(method, path, body) for method, path, _headers, body in seen]
    assert methods == [
        ("PUT", f"/{SESSION}/upload/u-1?offset=0&path=YQ%2FYg", b"body"),
        ("HEAD", f"/{SESSION}/file", b""),
        ("POST", f"/{SESSION}/folder", b""),
        ("DELETE", f"/{SESSION}/upload/u-1", b""),
    ]
    headers = seen[0][2]
    user_id = str(User.objects.get(username="ann").pk)
    assert {name: headers[name] for name in headers if name.startswith("x-")} == {
        "x-postern-user": user_id,
        "x-postern-remote-addr": "127.0.0.1",
        "x-postern-language": "en",
    }
    assert (headers["range"], headers["if-match"], headers["content-length"]) == ("bytes=0-3", '"0"', "4")
    assert not {"cookie", "origin", "x-csrftoken", "accept-encoding", "user-agent"} & set(headers)


def test_answers_without_a_body_pass(page: Page) -> None:
    async def bare(request: web.Request) -> web.Response:
        return web.Response(status=int(request.query["status"]), headers={"ETag": '"1"'})

    async def story() -> None:
        async with page.behind(bare), client() as http:
            for status in (204, 304, 200, 404):
                async with http.get(page.url(f"file?status={status}"), headers=page.headers()) as answer:
                    assert (answer.status, await answer.read(), answer.headers["ETag"]) == (status, b"", '"1"')

    run(story)


def test_what_a_browser_could_run_becomes_a_download(page: Page) -> None:
    async def hostile(_request: web.Request) -> web.Response:
        told = {"Content-Disposition": "inline", "Content-Security-Policy": "default-src *", "Refresh": "0; url=/"}
        return web.Response(body=b"<script>alert(1)</script>", content_type="text/html", headers=told)

    async def story() -> None:
        async with (
            page.behind(hostile),
            client() as http,
            http.get(page.url("file"), headers=page.headers()) as answer,
        ):
            assert answer.headers["Content-Type"] == "application/octet-stream"
            assert answer.headers["Content-Disposition"] == "attachment"
            assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert "Refresh" not in answer.headers

    run(story)


@pytest.mark.parametrize("status", [101, 302])
def test_proxy_may_neither_redirect_nor_change_the_protocol(page: Page, status: int) -> None:
    async def elsewhere(_request: web.Request) -> web.Response:
        return web.Response(status=status, headers={"Location": "https://evil.example/", "Upgrade": "websocket"})

    async def story() -> None:
        async with (
            page.behind(elsewhere),
            client() as http,
            http.get(page.url("file"), headers=page.headers(), allow_redirects=False) as answer,
        ):
            assert await problem(answer) == (502, "proxy_gone")

    run(story)


def test_k42_k64_pages_of_other_origins_reach_no_file(page: Page) -> None:
    served = 0

    async def count(_request: web.Request) -> web.Response:
        nonlocal served
        served += 1
        return web.Response()

    foreign: list[tuple[str, dict[str, str | None]]] = [
        ("POST", {"Origin": None}),
        ("POST", {"Origin": "http://evil.example"}),
        ("PUT", {"Origin": "null"}),
        ("DELETE", {"Origin": f"http://{page.live.host}.evil.example"}),
        ("POST", {"X-CSRFToken": None}),
        ("PUT", {"X-CSRFToken": "a" * 32}),
        ("DELETE", {"X-CSRFToken": "a" * 64}),
        ("POST", {"Sec-Fetch-Site": "cross-site"}),
        ("GET", {"Sec-Fetch-Site": "cross-site"}),
        ("GET", {"Sec-Fetch-Site": "same-site"}),
        ("HEAD", {"Sec-Fetch-Site": "cross-site"}),
    ]

    async def story() -> None:
        async with page.behind(count), client() as http:
            for method, more in foreign:
                body = b"x" if method in {"POST", "PUT"} else None
                async with http.request(method, page.url("file"), headers=page.headers(**more), data=body) as answer:
                    assert answer.status == 403, (method, more)
                    if method != "HEAD":
                        assert await problem(answer) == (403, "not_permitted")
            assert served == 0
            for site in ("same-origin", "none"):
                headers = page.headers(Origin=None, **{"X-CSRFToken": None, "Sec-Fetch-Site": site})
                async with http.get(page.url("file"), headers=headers) as answer:
                    assert answer.status == 200, site
            async with http.post(page.url("file"), headers=page.headers(), data=b"x") as answer:
                assert answer.status == 200

    run(story)
    assert served == 3


def test_unknown_host_name_is_refused(page: Page, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["postern.example.com"]

    async def story() -> None:
        async with (
            page.behind(ok),
            client() as http,
            http.get(page.url("file"), headers=page.headers()) as answer,
        ):
            assert await problem(answer) == (400, "bad_request")

    run(story)


def test_k19_nobody_reaches_files_without_a_sign_in(page: Page) -> None:
    async def story() -> None:
        async with page.behind(ok), client() as http:
            stolen = "sessionid=abcdefghijklmnopqrstuvwxyz012345"
            for cookie, language in ((None, "en"), (stolen, "zh-hans")):
                headers = page.headers(Cookie=cookie, Accept_Language=language)
                async with http.get(page.url("file"), headers=headers) as answer:
                    assert await problem(answer) == (401, "not_signed_in")
                    assert ("登录" in (await answer.json())["detail"]) is (language == "zh-hans")
            await in_thread(lambda: User.objects.filter(username="ann").update(is_active=False))
            async with http.put(page.url("file"), headers=page.headers(), data=b"x" * MIB) as answer:
                assert await problem(answer) == (401, "not_signed_in")

    run(story)


def test_terminal_that_is_unknown_or_not_reached_is_named(page: Page) -> None:
    async def story() -> None:
        async with client() as http:
            async with http.get(page.url("file", uuid4()), headers=page.headers()) as answer:
                assert await problem(answer) == (404, "no_session")
            async with http.get(page.url("file"), headers=page.headers()) as answer:  # nobody listens
                assert await problem(answer) == (502, "proxy_gone")
            async with http.get(page.url("no.such/form"), headers=page.headers()) as answer:
                assert await problem(answer) == (404, "no_session")
            await in_thread(lambda: Terminal.objects.update(is_accepted=False))
            async with http.get(page.url("file"), headers=page.headers()) as answer:
                assert await problem(answer) == (404, "no_session")

    run(story)


def test_k36_only_a_proxy_is_dialled_at_the_address_that_it_reports(page: Page, settings: Any) -> None:
    async def story() -> None:
        async with (
            endpoint(lambda runner: web.TCPSite(runner, "127.0.0.1", 0), ok) as site,
            client() as http,
        ):
            port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
            await in_thread(lambda: page.proxy.beat(files_address=f"127.0.0.1:{port}"))
            async with http.get(page.url("file"), headers=page.headers()) as answer:
                assert answer.status == 200
            # The same address, but it now belongs to our own SSH front.
            settings.POSTERN = replace(settings.POSTERN, ssh=Address("0.0.0.0", port))
            for address in (
                f"127.0.0.1:{port}",
                "169.254.169.254:80",
                "127.0.0.1:x",
                "127.0.0.1",
                "metadata.invalid:80",
            ):
                await in_thread(lambda address=address: page.proxy.beat(files_address=address))
                async with http.get(page.url("file"), headers=page.headers()) as answer:
                    assert await problem(answer) == (502, "proxy_gone"), address

    run(story)


def test_body_has_a_stated_size_within_the_limit(page: Page) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b"x"

    async def story() -> None:
        async with page.behind(ok), client() as http:
            async with http.put(page.url("upload/u"), headers=page.headers(), data=endless()) as answer:
                assert await problem(answer) == (411, "bad_request")
            length = page.headers(Content_Length=str(SLICE_BYTES + 64 * 1024 + 1))
            async with http.put(page.url("upload/u"), headers=length, data=endless()) as answer:
                assert await problem(answer) == (413, "too_large")
            async with http.patch(page.url("upload/u"), headers=page.headers()) as answer:
                assert await problem(answer) == (405, "bad_request")

    run(story)


def test_k54_body_that_does_not_arrive_is_given_up(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarder, "Patience", partial(Patience, piece_timeout_s=0.2))

    async def read(request: web.Request) -> web.Response:
        return web.Response(body=await request.read())

    async def story() -> None:
        async def stuck() -> AsyncIterator[bytes]:
            yield b"x"
            await asyncio.Event().wait()

        async with page.behind(read), client() as http:
            headers = page.headers(Content_Length="10")
            async with http.put(page.url("upload/u"), headers=headers, data=stuck()) as answer:
                assert await problem(answer) == (408, "bad_request")

    run(story)


def test_requests_of_a_sign_in_at_once_are_limited(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarder, "MAX_AT_ONCE", 2)

    async def story() -> None:
        running, let_go = asyncio.Semaphore(0), asyncio.Event()

        async def wait(_request: web.Request) -> web.Response:
            running.release()
            await let_go.wait()
            return web.Response(body=b"done")

        async with page.behind(wait), client() as http:

            async def get() -> bytes:
                async with http.get(page.url("file"), headers=page.headers()) as answer:
                    return await answer.read()

            two = [asyncio.create_task(get()) for _ in range(2)]
            for _ in two:
                await running.acquire()
            async with http.get(page.url("file"), headers=page.headers()) as answer:
                assert await problem(answer) == (429, "too_many")
            let_go.set()
            assert await asyncio.gather(*two) == [b"done", b"done"]
            while await get() != b"done":  # the server may still be giving back the places
                pass

    run(story)


def test_request_counts_as_use_of_the_sign_in(page: Page) -> None:
    long_ago = clock.now() - timedelta(minutes=20)
    LoginSession.objects.update(date_last_seen=long_ago)

    async def story() -> None:
        async with (
            page.behind(ok),
            client() as http,
            http.get(page.url("file"), headers=page.headers()) as answer,
        ):
            assert answer.status == 200

    run(story)
    assert LoginSession.objects.get().date_last_seen > long_ago


def test_database_outage_is_said(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_arguments: Any) -> Any:
        raise OperationalError("the database system is shutting down")

    monkeypatch.setattr(forwarder, "admit", away)

    async def story() -> None:
        async with (
            page.behind(ok),
            client() as http,
            http.get(page.url("file"), headers=page.headers()) as answer,
        ):
            assert await problem(answer) == (503, "unavailable")

    run(story)


# Transfers


def test_hundred_megabytes_pass_both_ways_unchanged(page: Page) -> None:
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
        async with page.behind(serve), client() as http:
            for start in range(0, 100, 8):
                data = BytesIO(b"".join(blocks[start : start + 8]))
                async with http.put(page.url(f"upload/u?offset={start}"), headers=page.headers(), data=data) as answer:
                    assert answer.status == 204
            for query in ("", "?chunked"):
                got = hashlib.sha256()
                async with http.get(page.url(f"file{query}"), headers=page.headers()) as answer:
                    async for piece in answer.content.iter_any():
                        got.update(piece)
                assert got.hexdigest() == whole

    run(story)
    assert arrived.hexdigest() == whole


def test_answer_before_the_end_of_the_body_arrives(page: Page) -> None:
    """A slice at a wrong place is answered at its head."""

    async def refuse(_request: web.Request) -> web.Response:
        return web.json_response({"code": "wrong_offset", "detail": "", "offset": 5}, status=409)

    async def story() -> None:
        async with page.behind(refuse), client() as http:
            for _ in range(3):
                data = BytesIO(b"x" * SLICE_BYTES)
                async with http.put(page.url("upload/u?offset=1"), headers=page.headers(), data=data) as answer:
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


def test_nothing_piles_up_for_a_browser_that_does_not_read(page: Page) -> None:
    sent = 0

    def count(size: int) -> None:
        nonlocal sent
        sent += size

    async def story() -> None:
        async with (
            page.behind(partial(flood, count=count)),
            client() as http,
            http.get(page.url("file"), headers=page.headers()) as answer,
        ):
            first = await standstill(lambda: sent)
            assert first < 16 * MIB, "more than the buffers of the sockets hold"
            while sent == first:  # goes on as soon as the browser reads
                await answer.content.readany()
            answer.close()

    run(story)


def test_nothing_piles_up_for_a_proxy_that_does_not_read(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
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
            headers = page.headers(Content_Length=str(256 * MIB))
            async with http.put(page.url("upload/u"), headers=headers, data=body()) as answer:
                assert await problem(answer) == (502, "proxy_gone")

        async with page.behind(deaf), client() as http:
            task = asyncio.create_task(put(http))
            assert 0 < await standstill(lambda: sent) < 16 * MIB
            let_go.set()
            await task

    run(story)


@pytest.mark.parametrize("length", [None, 64 * MIB])
def test_answer_of_a_proxy_that_dies_does_not_look_whole(page: Page, length: int | None) -> None:
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
            page.behind(die),
            client() as http,
            http.get(page.url("file"), headers=page.headers()) as answer,
        ):
            assert answer.status == 200
            with pytest.raises(aiohttp.ClientPayloadError):
                await answer.read()

    run(story)


def test_answer_that_only_the_end_of_the_connection_ends_is_refused(page: Page) -> None:
    """Its half could not be told from the whole."""

    async def story() -> None:
        async def old(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nhalf of it")
            writer.close()

        async with (
            await asyncio.start_unix_server(old, str(page.path)),
            client() as http,
            http.get(page.url("file"), headers=page.headers()) as answer,
        ):
            assert await problem(answer) == (502, "proxy_gone")

    run(story)


def test_proxy_that_dies_before_its_answer_is_named(page: Page) -> None:
    async def die(request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def story() -> None:
        async with page.behind(die), client() as http:
            for data in (None, BytesIO(b"x" * SLICE_BYTES)):
                async with http.put(page.url("upload/u"), headers=page.headers(), data=data) as answer:
                    assert await problem(answer) == (502, "proxy_gone")

    run(story)


def test_proxy_learns_that_the_browser_left(page: Page) -> None:
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
            data, headers = (stuck(), page.headers(Content_Length="10")) if method == "PUT" else (None, page.headers())
            asking = asyncio.create_task(
                http.request(method, page.url(operation), headers=headers, data=data).__aenter__()
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

        async with page.behind(serve), client() as http:
            await go(http, "GET", "read")
            await go(http, "GET", "silent")
            await go(http, "PUT", "upload/u")

    run(story)


def test_k40_signing_out_ends_a_transfer_within_five_seconds(page: Page) -> None:
    async def cut() -> float:
        async with (
            page.behind(partial(flood, count=lambda _size: None)),
            client() as http,
            http.get(page.url("file"), headers=page.headers()) as answer,
        ):
            await answer.content.readany()
            started = time.monotonic()
            await in_thread(lambda: page.browser.post("/api/v1/authentication/sign-out/", headers=csrf(page.browser)))
            with pytest.raises(aiohttp.ClientPayloadError):
                async for _piece in answer.content.iter_any():
                    pass
            took = time.monotonic() - started
        await in_thread(lambda: sign_in(page.browser))
        return took

    async def story() -> None:
        await soon_async(cut, 5)

    run(story)


def test_signing_out_ends_a_request_that_waits_for_its_answer(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
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

        async with page.behind(wait), client() as http:
            async with asyncio.TaskGroup() as group:

                async def ask() -> None:
                    async with http.post(page.url("delete"), headers=page.headers(), data=b"{}") as answer:
                        assert await problem(answer) == (401, "not_signed_in")

                group.create_task(ask())
                await began.wait()
                out = "/api/v1/authentication/sign-out/"
                await in_thread(lambda: page.browser.post(out, headers=csrf(page.browser)))
            await ended.wait()

    run(story)
