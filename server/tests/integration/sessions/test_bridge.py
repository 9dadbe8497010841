"""The websocket bridge from browsers to proxies, over a real server: access, transport, back-pressure and closing."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client
from live import PASSWORD, SIGN_IN, LiveServer, csrf, fake_proxy, in_thread, run, sign_in, standstill
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, InvalidStatus

from factories.proxy_client import Proxy, World
from postern.apps.sessions.models import Terminal
from postern.apps.sessions.sessions.consumers import bridge, sign_in_watch
from postern.apps.users.models import User
from postern.foundation.configuration.environ import Address
from timing import soon_async


@pytest.fixture
def endpoint(tmp_path: Path, proxy: Proxy) -> Path:
    """The path of the Unix socket on which the proxy's browser endpoint listens."""
    path = tmp_path / "stream.sock"
    proxy.beat(stream_address=f"unix:{path}")
    return path


def dial(live: LiveServer, terminal_id: object, browser: Client | None, **more: Any) -> Any:
    headers = {}
    if browser is not None:
        headers["Cookie"] = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())
    headers |= more.pop("headers", {})
    origin = more.pop("origin", f"http://{live.host}")
    return connect(
        f"ws://{live.host}/ws/proxy/{terminal_id}/",
        origin=origin,
        additional_headers=headers,
        max_size=8 * 1024 * 1024,
        **more,
    )


async def close_code(socket: ClientConnection) -> int:
    """The close code of the other side. Frames that arrive before the close are discarded."""
    with contextlib.suppress(ConnectionClosed):
        async for _ in socket:
            pass
    assert socket.close_code is not None
    return socket.close_code


async def echo(socket: ServerConnection) -> None:
    async for frame in socket:
        await socket.send(frame)


def test_bridge_carries_text_and_bytes_in_both_directions(
    live: LiveServer, proxy: Proxy, endpoint: Path, browser: Client
) -> None:
    async def story() -> None:
        async with fake_proxy(endpoint, echo), dial(live, proxy.id, browser) as socket:
            for frame in ('{"type":"ping","t":1}', b"\x00\xff raw", "汉字", b"", b"x" * 1_000_000):
                await socket.send(frame)
                assert await socket.recv() == frame

    run(story)


def test_bridge_names_the_user_to_the_proxy_and_forwards_no_secret_of_the_browser(
    live: LiveServer, proxy: Proxy, endpoint: Path, browser: Client
) -> None:
    seen: dict[str, str] = {}
    forged = {"X-Postern-User": str(uuid4()), "X-Postern-Remote-Addr": "6.6.6.6", "X-Forwarded-For": "7.7.7.7"}

    async def look(socket: ServerConnection) -> None:
        assert socket.request is not None
        seen.update({name.lower(): value for name, value in socket.request.headers.raw_items()})
        await socket.send("seen")

    async def story() -> None:
        async with fake_proxy(endpoint, look), dial(live, proxy.id, browser, headers=forged) as socket:
            await socket.recv()

    run(story)
    assert seen["x-postern-user"] == str(User.objects.get(username="ann").pk)
    assert seen["x-postern-remote-addr"] == "127.0.0.1"
    assert seen["x-postern-language"] == "en"
    assert "cookie" not in seen
    assert "sec-websocket-extensions" not in seen


def test_k42_bridge_refuses_pages_of_other_origins(
    live: LiveServer, proxy: Proxy, endpoint: Path, browser: Client
) -> None:
    async def story() -> None:
        async with fake_proxy(endpoint, echo):
            for origin in (
                None,
                "http://evil.example",
                f"http://{live.host}.evil.example",
                f"http://evil.example@{live.host}",
                "http://127.0.0.1:1",
                "null",
                f"ftp://{live.host}",
            ):
                with pytest.raises(InvalidStatus) as refused:
                    async with dial(live, proxy.id, browser, origin=origin):
                        pass
                assert refused.value.response.status_code == 403, origin

    run(story)


def test_k19_bridge_is_closed_without_a_sign_in(
    live: LiveServer, proxy: Proxy, endpoint: Path, browser: Client
) -> None:
    async def story() -> None:
        async with fake_proxy(endpoint, echo):
            async with dial(live, proxy.id, None) as socket:
                assert await close_code(socket) == 4401
            stolen = {"Cookie": "sessionid=abcdefghijklmnopqrstuvwxyz012345"}
            async with dial(live, proxy.id, None, headers=stolen) as socket:
                assert await close_code(socket) == 4401
            await in_thread(lambda: User.objects.filter(username="ann").update(is_active=False))
            async with dial(live, proxy.id, browser) as socket:
                assert await close_code(socket) == 4401

    run(story)


def test_k36_bridge_does_not_dial_our_own_services_at_the_address_that_a_proxy_reports(
    live: LiveServer, proxy: Proxy, browser: Client, settings: Any
) -> None:
    served: list[bytes | str] = []

    async def remember(socket: ServerConnection) -> None:
        async for frame in socket:
            served.append(frame)
            await socket.send(frame)

    async def story() -> None:
        async with serve(remember, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            await in_thread(lambda: proxy.beat(stream_address=f"127.0.0.1:{port}"))
            async with dial(live, proxy.id, browser) as socket:
                await socket.send("a proxy over TCP is fine")
                assert await socket.recv() == "a proxy over TCP is fine"
            # The same address, but it now belongs to our own SSH front: the bridge must not dial it.
            settings.POSTERN = replace(settings.POSTERN, ssh=Address("0.0.0.0", port))
            async with dial(live, proxy.id, browser) as socket:
                assert await close_code(socket) == 4502
        for odd in ("169.254.169.254:80", "metadata.invalid:80", "127.0.0.1:x", "127.0.0.1"):
            await in_thread(lambda address=odd: proxy.beat(stream_address=address))
            async with dial(live, proxy.id, browser) as socket:
                assert await close_code(socket) == 4502

    run(story)
    assert served == ["a proxy over TCP is fine"]


def test_bridge_to_an_unknown_or_unreachable_terminal_closes_with_a_code(
    live: LiveServer, proxy: Proxy, endpoint: Path, browser: Client
) -> None:
    async def story() -> None:
        async with dial(live, uuid4(), browser) as socket:
            assert await close_code(socket) == 4404
        async with dial(live, proxy.id, browser) as socket:  # registered, but not listening
            assert await close_code(socket) == 4502
        await in_thread(lambda: Terminal.objects.update(is_accepted=False))
        async with dial(live, proxy.id, browser) as socket:
            assert await close_code(socket) == 4404

    run(story)


def test_k40_signing_out_cuts_the_bridge_within_five_seconds(
    live: LiveServer, proxy: Proxy, endpoint: Path, browser: Client
) -> None:
    async def cut() -> float:
        async with dial(live, proxy.id, browser) as socket:
            await socket.send("hello")
            assert await socket.recv() == "hello"
            started = time.monotonic()
            token = {"X-CSRFToken": browser.cookies["csrftoken"].value}
            answer = await in_thread(lambda: browser.post("/api/v1/authentication/sign-out/", headers=token))
            assert answer.status_code in {200, 204}
            assert await close_code(socket) == 4401
            took = time.monotonic() - started
        await in_thread(lambda: sign_in(browser))
        return took

    async def story() -> None:
        async with fake_proxy(endpoint, echo):
            await soon_async(cut, 5)

    run(story)


def test_short_database_outage_does_not_end_a_browser_terminal(
    live: LiveServer, proxy: Proxy, endpoint: Path, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_in_watch, "RECHECK_S", 0.05)
    monkeypatch.setattr(sign_in_watch, "UNCHECKED_S", 3600.0)
    is_away, failed = False, 0
    ask, look_up = sign_in_watch.authn.login_session_is_open, bridge.visitor_of

    def is_open(login_session_id: Any) -> bool:
        nonlocal failed
        if is_away:
            failed += 1
            raise OperationalError("the database system is shutting down")
        return ask(login_session_id)

    def visitor(*arguments: Any) -> Any:
        if is_away:
            raise InterfaceError("connection already closed")
        return look_up(*arguments)

    monkeypatch.setattr(sign_in_watch.authn, "login_session_is_open", is_open)
    monkeypatch.setattr(bridge, "visitor_of", visitor)

    async def story() -> None:
        nonlocal is_away
        async with fake_proxy(endpoint, echo), dial(live, proxy.id, browser) as socket:
            is_away = True
            while failed < 5:  # noqa: ASYNC110 - the count rises in other threads
                await asyncio.sleep(0.02)
            await socket.send("still there")
            assert await socket.recv() == "still there"
            async with dial(live, proxy.id, browser) as other:
                assert await close_code(other) == 4503, "the page comes again"
            is_away = False
            await in_thread(lambda: browser.post("/api/v1/authentication/sign-out/", headers=csrf(browser)))
            assert await close_code(socket) == 4401

    run(story)


def test_terminal_is_cut_when_its_sign_in_cannot_be_checked_for_long(
    live: LiveServer, proxy: Proxy, endpoint: Path, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_in_watch, "RECHECK_S", 0.05)
    monkeypatch.setattr(sign_in_watch, "UNCHECKED_S", 0.2)

    def away(_login_session_id: Any) -> bool:
        raise OperationalError("the database system is shutting down")

    monkeypatch.setattr(sign_in_watch.authn, "login_session_is_open", away)

    async def story() -> None:
        async with fake_proxy(endpoint, echo), dial(live, proxy.id, browser) as socket:
            assert await close_code(socket) == 4503

    run(story)


def test_bridge_passes_on_the_close_code_of_the_proxy(
    live: LiveServer, proxy: Proxy, endpoint: Path, browser: Client
) -> None:
    async def leave(socket: ServerConnection) -> None:
        await socket.send("last words")
        await socket.close(4000, "session over")

    async def drop(socket: ServerConnection) -> None:
        socket.transport.abort()

    async def story() -> None:
        async with fake_proxy(endpoint, leave), dial(live, proxy.id, browser) as socket:
            assert await socket.recv() == "last words"
            assert await close_code(socket) == 4000
        async with fake_proxy(endpoint, drop), dial(live, proxy.id, browser) as socket:
            assert await close_code(socket) == 4502

    run(story)


def test_bridge_tells_the_proxy_that_the_browser_left(
    live: LiveServer, proxy: Proxy, endpoint: Path, browser: Client
) -> None:
    async def story() -> None:
        left = asyncio.Event()

        async def wait(socket: ServerConnection) -> None:
            await socket.send("ready")
            await socket.wait_closed()
            left.set()

        async with fake_proxy(endpoint, wait):
            async with dial(live, proxy.id, browser) as socket:
                await socket.recv()
            async with asyncio.timeout(60):
                await left.wait()

    run(story)


def test_bridge_limits_the_sockets_of_a_sign_in(
    live: LiveServer, proxy: Proxy, endpoint: Path, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge, "MAX_SOCKETS", 2)

    async def story() -> None:
        async with fake_proxy(endpoint, echo):
            async with dial(live, proxy.id, browser) as first, dial(live, proxy.id, browser) as two:
                async with dial(live, proxy.id, browser) as three:
                    assert await close_code(three) == 4429
                for socket in (first, two):
                    await socket.send("still here")
                    assert await socket.recv() == "still here"
            # Both browsers have left. The server may still be closing their sockets, so retry while it answers 4429.
            while True:
                async with dial(live, proxy.id, browser) as again:
                    try:
                        await again.send("room again")
                        assert await again.recv() == "room again"
                    except ConnectionClosed:
                        assert again.close_code == 4429
                        continue
                    break

    run(story)


def test_bridge_refuses_frames_over_its_limit(live: LiveServer, proxy: Proxy, endpoint: Path, browser: Client) -> None:
    async def story() -> None:
        async with fake_proxy(endpoint, echo), dial(live, proxy.id, browser) as socket:
            await socket.send(b"x" * (1024 * 1024 + 1))
            assert await close_code(socket) == 1009

    run(story)


def test_bridge_applies_back_pressure_to_the_proxy_when_the_browser_does_not_read(
    live: LiveServer, proxy: Proxy, endpoint: Path, browser: Client
) -> None:
    sent = 0

    async def flood(socket: ServerConnection) -> None:
        nonlocal sent
        while True:
            await socket.send(b"y" * 65_536)
            sent += 65_536

    async def story() -> None:
        async with (
            fake_proxy(endpoint, flood),
            dial(live, proxy.id, browser, max_queue=1) as socket,
        ):
            await socket.recv()
            # The proxy can send only what fits into the socket buffers and the buffers of both servers.
            first = await standstill(lambda: sent)
            assert first < 16 * 1024 * 1024
            while sent == first:  # the proxy goes on as soon as the browser reads
                await socket.recv()
            socket.transport.abort()

    run(story)


def test_bridge_applies_back_pressure_to_the_browser_when_the_proxy_does_not_read(
    live: LiveServer, proxy: Proxy, endpoint: Path, browser: Client
) -> None:
    sent = 0

    async def story() -> None:
        nonlocal sent
        let_go = asyncio.Event()

        async def deaf(socket: ServerConnection) -> None:
            await let_go.wait()
            socket.transport.abort()

        async def paste(socket: ClientConnection) -> None:
            nonlocal sent
            while True:
                await socket.send(b"z" * 65_536)
                sent += 65_536

        async with fake_proxy(endpoint, deaf), dial(live, proxy.id, browser) as socket:
            task = asyncio.create_task(paste(socket))
            assert 0 < await standstill(lambda: sent) < 16 * 1024 * 1024
            task.cancel()
            let_go.set()
            await asyncio.gather(task, return_exceptions=True)

    run(story)


def test_replay_is_streamed_under_the_real_server(
    live: LiveServer, proxy: Proxy, world: World, replay_folder: Path, make_user: Callable[..., User]
) -> None:
    """A long recording is sent in pieces, and a range request sends only that range."""
    content = bytes(range(256)) * 40_000  # 10 MB
    grant = proxy.authorize(world.user, "web-1").grant
    assert grant is not None
    proxy.start(grant.session_id, recording=True)
    proxy.seal(grant.session_id, content)
    for first in range(0, len(content), 1_000_000):
        part = content[first : first + 1_000_000]
        assert proxy.put(grant.session_id, part, first, len(content)).status_code == 200
    auditor = make_user("audit-ann", org_role="Auditor")
    auditor.set_password(PASSWORD)
    auditor.save()
    client = Client()
    client.get(SIGN_IN)
    token = {"X-CSRFToken": client.cookies["csrftoken"].value}
    body = {"username": "audit-ann", "password": PASSWORD}
    assert client.post(SIGN_IN, body, content_type="application/json", headers=token).status_code == 200
    url = f"http://{live.host}/api/v1/terminal/sessions/{grant.session_id}/replay/content/"
    cookies = {name: morsel.value for name, morsel in client.cookies.items()}

    async def story() -> None:
        async with aiohttp.ClientSession(cookies=cookies) as http:
            async with http.get(url, headers={"Range": "bytes=-131072"}) as answer:
                assert answer.status == 206
                assert await answer.read() == content[-131072:]
            async with http.get(url) as answer:
                assert answer.status == 200
                assert await answer.read() == content
            async with http.get(url) as answer:  # a client that leaves in the middle does not disturb later requests
                await answer.content.read(100)
            async with http.get(url, headers={"Range": "bytes=0-9"}) as answer:
                assert await answer.read() == content[:10]
        async with aiohttp.ClientSession() as http, http.get(url) as answer:
            assert answer.status == 401

    run(story)
