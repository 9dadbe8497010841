"""The file manager's requests from browsers to proxies, over real servers: who may, what passes, and how it ends."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from aiohttp import web
from django.db import OperationalError
from files_page import MIB, SESSION, FilesPage, client, endpoint, ok, problem
from live import in_thread, run

from postern.apps.authn.models import LoginSession
from postern.apps.sessions.files import forwarder
from postern.apps.sessions.models import Terminal
from postern.apps.users.models import User
from postern.contracts.files import SLICE_BYTES, files_key
from postern.foundation.configuration.environ import Address
from postern.foundation.requests.body_guard import Patience
from postern.kernel import clock


def test_request_and_answer_pass(files_page: FilesPage) -> None:
    seen: list[tuple[str, str, dict[str, str], bytes]] = []

    async def look(request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        seen.append((request.method, request.raw_path, headers, await request.read()))
        told = {"ETag": '"1"', "Set-Cookie": "sessionid=x", "Cache-Control": "private, max-age=5"}
        return web.Response(status=206, body=b"part", content_type="image/png", headers=told)

    forged = {"X-Postern-User": str(uuid4()), "X-Postern-Remote-Addr": "6.6.6.6", "X-Forwarded-For": "7.7.7.7"}

    async def story() -> None:
        async with files_page.behind(look), client() as http:
            url = files_page.url("upload/u-1?offset=0&path=YQ%2FYg")
            more = files_page.headers(Range="bytes=0-3", If_Match='"0"', Content_Type="application/json", **forged)
            async with http.put(url, data=b"body", headers=more) as answer:
                assert (answer.status, await answer.read(), answer.headers["ETag"]) == (206, b"part", '"1"')
                assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
                assert answer.headers["Cache-Control"] == "private, max-age=5"
                assert "Set-Cookie" not in answer.headers
            async with http.head(files_page.url("file"), headers=files_page.headers()) as answer:
                assert (answer.status, answer.headers["Content-Length"], await answer.read()) == (206, "4", b"")
            async with http.post(files_page.url("folder"), headers=files_page.headers()) as answer:
                assert answer.status == 206
            async with http.delete(files_page.url("upload/u-1"), headers=files_page.headers()) as answer:
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
        "x-postern-files-key": files_key(Terminal.objects.get().secret_hash),
    }
    assert (headers["range"], headers["if-match"], headers["content-length"]) == ("bytes=0-3", '"0"', "4")
    assert not {"cookie", "origin", "x-csrftoken", "accept-encoding", "user-agent"} & set(headers)


def test_answers_without_a_body_pass(files_page: FilesPage) -> None:
    async def bare(request: web.Request) -> web.Response:
        return web.Response(status=int(request.query["status"]), headers={"ETag": '"1"'})

    async def story() -> None:
        async with files_page.behind(bare), client() as http:
            for status in (204, 304, 200, 404):
                async with http.get(files_page.url(f"file?status={status}"), headers=files_page.headers()) as answer:
                    assert (answer.status, await answer.read(), answer.headers["ETag"]) == (status, b"", '"1"')

    run(story)


def test_what_a_browser_could_run_becomes_a_download(files_page: FilesPage) -> None:
    async def hostile(_request: web.Request) -> web.Response:
        told = {"Content-Disposition": "inline", "Content-Security-Policy": "default-src *", "Refresh": "0; url=/"}
        return web.Response(body=b"<script>alert(1)</script>", content_type="text/html", headers=told)

    async def story() -> None:
        async with (
            files_page.behind(hostile),
            client() as http,
            http.get(files_page.url("file"), headers=files_page.headers()) as answer,
        ):
            assert answer.headers["Content-Type"] == "application/octet-stream"
            assert answer.headers["Content-Disposition"] == "attachment"
            assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert "Refresh" not in answer.headers

    run(story)


@pytest.mark.parametrize("status", [101, 302])
def test_proxy_may_neither_redirect_nor_change_the_protocol(files_page: FilesPage, status: int) -> None:
    async def elsewhere(_request: web.Request) -> web.Response:
        return web.Response(status=status, headers={"Location": "https://evil.example/", "Upgrade": "websocket"})

    async def story() -> None:
        async with (
            files_page.behind(elsewhere),
            client() as http,
            http.get(files_page.url("file"), headers=files_page.headers(), allow_redirects=False) as answer,
        ):
            assert await problem(answer) == (502, "proxy_gone")

    run(story)


def test_k42_k64_pages_of_other_origins_reach_no_file(files_page: FilesPage) -> None:
    served = 0

    async def count(_request: web.Request) -> web.Response:
        nonlocal served
        served += 1
        return web.Response()

    foreign: list[tuple[str, dict[str, str | None]]] = [
        ("POST", {"Origin": None}),
        ("POST", {"Origin": "http://evil.example"}),
        ("PUT", {"Origin": "null"}),
        ("DELETE", {"Origin": f"http://{files_page.live.host}.evil.example"}),
        ("POST", {"X-CSRFToken": None}),
        ("PUT", {"X-CSRFToken": "a" * 32}),
        ("DELETE", {"X-CSRFToken": "a" * 64}),
        ("POST", {"Sec-Fetch-Site": "cross-site"}),
        ("GET", {"Sec-Fetch-Site": "cross-site"}),
        ("GET", {"Sec-Fetch-Site": "same-site"}),
        ("HEAD", {"Sec-Fetch-Site": "cross-site"}),
    ]

    async def story() -> None:
        async with files_page.behind(count), client() as http:
            for method, more in foreign:
                body = b"x" if method in {"POST", "PUT"} else None
                async with http.request(
                    method, files_page.url("file"), headers=files_page.headers(**more), data=body
                ) as answer:
                    assert answer.status == 403, (method, more)
                    if method != "HEAD":
                        assert await problem(answer) == (403, "not_permitted")
            assert served == 0
            for site in ("same-origin", "none"):
                headers = files_page.headers(Origin=None, **{"X-CSRFToken": None, "Sec-Fetch-Site": site})
                async with http.get(files_page.url("file"), headers=headers) as answer:
                    assert answer.status == 200, site
            async with http.post(files_page.url("file"), headers=files_page.headers(), data=b"x") as answer:
                assert answer.status == 200

    run(story)
    assert served == 3


def test_unknown_host_name_is_refused(files_page: FilesPage, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["postern.example.com"]

    async def story() -> None:
        async with (
            files_page.behind(ok),
            client() as http,
            http.get(files_page.url("file"), headers=files_page.headers()) as answer,
        ):
            assert await problem(answer) == (400, "bad_request")

    run(story)


def test_k19_nobody_reaches_files_without_a_sign_in(files_page: FilesPage) -> None:
    async def story() -> None:
        async with files_page.behind(ok), client() as http:
            stolen = "sessionid=abcdefghijklmnopqrstuvwxyz012345"
            for cookie, language in ((None, "en"), (stolen, "zh-hans")):
                headers = files_page.headers(Cookie=cookie, Accept_Language=language)
                async with http.get(files_page.url("file"), headers=headers) as answer:
                    assert await problem(answer) == (401, "not_signed_in")
                    assert ("登录" in (await answer.json())["detail"]) is (language == "zh-hans")
            await in_thread(lambda: User.objects.filter(username="ann").update(is_active=False))
            async with http.put(files_page.url("file"), headers=files_page.headers(), data=b"x" * MIB) as answer:
                assert await problem(answer) == (401, "not_signed_in")

    run(story)


def test_terminal_that_is_unknown_or_not_reached_is_named(files_page: FilesPage) -> None:
    async def story() -> None:
        async with client() as http:
            async with http.get(files_page.url("file", uuid4()), headers=files_page.headers()) as answer:
                assert await problem(answer) == (404, "no_session")
            async with http.get(files_page.url("file"), headers=files_page.headers()) as answer:  # nobody listens
                assert await problem(answer) == (502, "proxy_gone")
            async with http.get(files_page.url("no.such/form"), headers=files_page.headers()) as answer:
                assert await problem(answer) == (404, "no_session")
            await in_thread(lambda: Terminal.objects.update(is_accepted=False))
            async with http.get(files_page.url("file"), headers=files_page.headers()) as answer:
                assert await problem(answer) == (404, "no_session")

    run(story)


def test_k36_only_a_proxy_is_dialled_at_the_address_that_it_reports(files_page: FilesPage, settings: Any) -> None:
    async def story() -> None:
        async with (
            endpoint(lambda runner: web.TCPSite(runner, "127.0.0.1", 0), ok) as site,
            client() as http,
        ):
            port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
            await in_thread(lambda: files_page.proxy.beat(files_address=f"127.0.0.1:{port}"))
            async with http.get(files_page.url("file"), headers=files_page.headers()) as answer:
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
                await in_thread(lambda address=address: files_page.proxy.beat(files_address=address))
                async with http.get(files_page.url("file"), headers=files_page.headers()) as answer:
                    assert await problem(answer) == (502, "proxy_gone"), address

    run(story)


def test_body_has_a_stated_size_within_the_limit(files_page: FilesPage) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b"x"

    async def story() -> None:
        async with files_page.behind(ok), client() as http:
            async with http.put(files_page.url("upload/u"), headers=files_page.headers(), data=endless()) as answer:
                assert await problem(answer) == (411, "bad_request")
            length = files_page.headers(Content_Length=str(SLICE_BYTES + 64 * 1024 + 1))
            async with http.put(files_page.url("upload/u"), headers=length, data=endless()) as answer:
                assert await problem(answer) == (413, "too_large")
            async with http.patch(files_page.url("upload/u"), headers=files_page.headers()) as answer:
                assert await problem(answer) == (405, "bad_request")

    run(story)


def test_k54_body_that_does_not_arrive_is_given_up(files_page: FilesPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarder, "Patience", partial(Patience, piece_timeout_s=0.2))

    async def read(request: web.Request) -> web.Response:
        return web.Response(body=await request.read())

    async def story() -> None:
        async def stuck() -> AsyncIterator[bytes]:
            yield b"x"
            await asyncio.Event().wait()

        async with files_page.behind(read), client() as http:
            headers = files_page.headers(Content_Length="10")
            async with http.put(files_page.url("upload/u"), headers=headers, data=stuck()) as answer:
                assert await problem(answer) == (408, "bad_request")

    run(story)


def test_requests_of_a_sign_in_at_once_are_limited(files_page: FilesPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarder, "MAX_AT_ONCE", 2)

    async def story() -> None:
        running, let_go = asyncio.Semaphore(0), asyncio.Event()

        async def wait(_request: web.Request) -> web.Response:
            running.release()
            await let_go.wait()
            return web.Response(body=b"done")

        async with files_page.behind(wait), client() as http:

            async def get() -> bytes:
                async with http.get(files_page.url("file"), headers=files_page.headers()) as answer:
                    return await answer.read()

            two = [asyncio.create_task(get()) for _ in range(2)]
            for _ in two:
                await running.acquire()
            async with http.get(files_page.url("file"), headers=files_page.headers()) as answer:
                assert await problem(answer) == (429, "too_many")
            let_go.set()
            assert await asyncio.gather(*two) == [b"done", b"done"]
            while await get() != b"done":  # the server may still be giving back the places
                pass

    run(story)


def test_request_counts_as_use_of_the_sign_in(files_page: FilesPage) -> None:
    long_ago = clock.now() - timedelta(minutes=20)
    LoginSession.objects.update(date_last_seen=long_ago)

    async def story() -> None:
        async with (
            files_page.behind(ok),
            client() as http,
            http.get(files_page.url("file"), headers=files_page.headers()) as answer,
        ):
            assert answer.status == 200

    run(story)
    assert LoginSession.objects.get().date_last_seen > long_ago


def test_database_outage_is_said(files_page: FilesPage, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_arguments: Any) -> Any:
        raise OperationalError("the database system is shutting down")

    monkeypatch.setattr(forwarder, "admit", away)

    async def story() -> None:
        async with (
            files_page.behind(ok),
            client() as http,
            http.get(files_page.url("file"), headers=files_page.headers()) as answer,
        ):
            assert await problem(answer) == (503, "unavailable")

    run(story)
