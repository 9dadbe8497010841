import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.signals import request_finished, request_started
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import Resolver404

from postern.foundation.database.connections import DATABASE_CONNECTIONS, FEWEST_CONNECTIONS
from postern.foundation.requests.request_kinds import (
    MOST_AT_ONCE,
    WEBSOCKET_CONNECTIONS,
    RequestKind,
    kind_of,
    most_at_once,
)
from postern.foundation.requests.request_threads import RequestThreads

WAIT_S = 30


class Answering(RequestThreads):
    """The request threads of the product, with `view` in place of its middlewares."""

    def __init__(self, view: Callable[[HttpRequest], Any], **bounds: Any) -> None:
        super().__init__(**bounds)
        self._view = view

    def get_response(self, request: HttpRequest) -> Any:
        return self._view(request)


class Client:
    """An ASGI client: sends `body` in pieces, then nothing until `leave()`."""

    def __init__(self, *body: bytes, method: str = "GET") -> None:
        self.sent: list[Any] = []
        self._messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        for number, piece in enumerate(body):
            more = number < len(body) - 1
            self._messages.put_nowait({"type": "http.request", "body": piece, "more_body": more})
        headers = [(b"host", b"localhost")]
        if body:
            headers.append((b"content-length", str(sum(map(len, body))).encode()))
        self.scope = {
            "type": "http", "method": method, "path": "/api/v1/nothing/", "raw_path": b"/api/v1/nothing/",
            "query_string": b"", "headers": headers, "client": ("127.0.0.1", 1), "server": ("localhost", 80),
            "http_version": "1.1", "scheme": "http", "asgi": {"version": "3.0"},
        }  # fmt: skip

    async def ask(self, application: Any) -> None:
        async with asyncio.timeout(WAIT_S):
            await application(self.scope, self._messages.get, self._keep)

    def leave(self) -> None:
        self._messages.put_nowait({"type": "http.disconnect"})

    async def _keep(self, message: Any) -> None:
        self.sent.append(message)

    @property
    def answer(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent[1:])


def _noting(seen: list[int]) -> Callable[[HttpRequest], HttpResponse]:
    def view(_request: HttpRequest) -> HttpResponse:
        seen.append(threading.get_ident())
        return HttpResponse(b"done")

    return view


async def test_successive_requests_share_a_thread_that_is_not_the_event_loops() -> None:
    seen: list[int] = []
    application = Answering(_noting(seen))
    for _ in range(3):
        await Client().ask(application)
    assert len(seen) == 3
    assert len(set(seen)) == 1
    assert seen[0] != threading.get_ident()


async def test_thread_is_free_again_before_the_answer_is_sent() -> None:
    """A client that asks again right after the answer gets the idle thread."""
    seen: list[int] = []
    application = Answering(_noting(seen))
    again = Client()
    first = Client()

    async def ask_again(message: Any) -> None:
        if message["type"] == "http.response.start":
            await again.ask(application)

    await application(first.scope, first._messages.get, ask_again)
    assert again.answer == b"done"
    assert len(set(seen)) == 1


async def test_concurrent_requests_run_in_parallel_in_a_thread_each() -> None:
    """No request waits for another: the gate opens only after all have begun."""
    seen: list[int] = []
    gate, all_begun = threading.Event(), threading.Event()

    def view(_request: HttpRequest) -> HttpResponse:
        seen.append(threading.get_ident())
        if len(seen) == 5:
            all_begun.set()
        assert gate.wait(WAIT_S)
        return HttpResponse()

    application = Answering(view, idle_threads=2)
    running = [asyncio.ensure_future(Client().ask(application)) for _ in range(5)]
    assert await asyncio.to_thread(all_begun.wait, WAIT_S)
    gate.set()
    await asyncio.gather(*running)
    assert len(set(seen[:5])) == 5
    later = len(seen)
    for _ in range(4):
        await Client().ask(application)
    assert set(seen[later:]) <= set(seen[:5]), "a thread was started although some were idle"


async def test_thread_of_a_failed_request_is_used_again() -> None:
    seen: list[int] = []

    def failing(_request: HttpRequest) -> HttpResponse:
        seen.append(threading.get_ident())
        raise ValueError("broken")

    application = Answering(failing)
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            await Client().ask(application)
    assert len(seen) == 2
    assert len(set(seen)) == 1


async def test_answer_of_the_whole_product_has_its_content_length() -> None:
    client = Client()
    await client.ask(RequestThreads())
    assert client.sent[0]["status"] == 404
    assert client.answer == b'{"error": "Not found"}'
    headers = {name.lower(): value for name, value in client.sent[0]["headers"]}
    assert headers[b"content-length"] == str(len(client.answer)).encode()
    assert headers[b"x-content-type-options"] == b"nosniff"


async def test_signals_are_sent_in_the_thread_of_the_view() -> None:
    calls: list[tuple[str, int]] = []

    def view(_request: HttpRequest) -> HttpResponse:
        calls.append(("view", threading.get_ident()))
        return HttpResponse()

    def started(**_: Any) -> None:
        calls.append(("started", threading.get_ident()))

    def finished(**_: Any) -> None:
        calls.append(("finished", threading.get_ident()))

    request_started.connect(started)
    request_finished.connect(finished)
    try:
        await Client().ask(Answering(view))
    finally:
        request_started.disconnect(started)
        request_finished.disconnect(finished)
    assert [name for name, _thread in calls] == ["started", "view", "finished"]
    assert len({thread for _name, thread in calls}) == 1


async def test_body_arrives_complete() -> None:
    client = Client(b"one ", b"two", method="POST")
    await client.ask(Answering(lambda request: HttpResponse(request.body)))
    assert client.answer == b"one two"


async def test_client_that_leaves_during_the_body_is_not_answered() -> None:
    seen: list[int] = []
    client = Client(b"one ", b"two", method="POST")
    client.scope["headers"] = [(b"transfer-encoding", b"chunked")]
    client._messages = asyncio.Queue()
    client._messages.put_nowait({"type": "http.request", "body": b"one", "more_body": True})
    client.leave()
    await client.ask(Answering(_noting(seen)))
    assert seen == []
    assert client.sent == []


async def test_async_code_of_a_view_runs_in_the_event_loop_of_the_server() -> None:
    """Channel layers keep one set of connections for each event loop."""
    loops: list[Any] = []

    async def note() -> None:
        loops.append(asyncio.get_running_loop())

    def view(_request: HttpRequest) -> HttpResponse:
        async_to_sync(note)()
        return HttpResponse()

    await Client().ask(Answering(view))
    assert loops == [asyncio.get_running_loop()]


async def test_streamed_answer_is_sent_in_pieces_and_closed() -> None:
    closed: list[bool] = []

    async def pieces() -> AsyncIterator[bytes]:
        yield b"a"
        yield b"b"

    def view(_request: HttpRequest) -> StreamingHttpResponse:
        response = StreamingHttpResponse(pieces())
        response._resource_closers.append(lambda: closed.append(True))
        return response

    client = Client()
    await client.ask(Answering(view))
    assert [message.get("body", b"") for message in client.sent[1:]] == [b"a", b"b", b""]
    assert closed == [True]


async def test_stream_ends_when_the_client_leaves() -> None:
    client = Client()
    ended = asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        try:
            yield b"first"
            client.leave()
            await asyncio.Event().wait()
        finally:
            ended.set()

    await client.ask(Answering(lambda _request: StreamingHttpResponse(endless())))
    assert client.answer == b"first"
    assert ended.is_set()


async def test_resolved_view_is_cached_only_for_paths_without_values() -> None:
    """So the cache has at most as many entries as there are routes, whatever paths are requested."""
    application = RequestThreads()
    for path in ("/api/v1/assets/assets/", "/api/v1/assets/assets/1/", "/api/v1/assets/assets/2/"):
        matches = [application.resolve_request(_request(path)) for _ in range(2)]
        assert (matches[0] is matches[1]) == (path == "/api/v1/assets/assets/")
        assert matches[0].kwargs == ({} if path == "/api/v1/assets/assets/" else {"pk": path.split("/")[-2]})
    with pytest.raises(Resolver404):
        application.resolve_request(_request("/api/v1/assets/nothing-of-ours/"))
    assert set(application._views) == {"/api/v1/assets/assets/"}


def _request(path: str) -> HttpRequest:
    request = HttpRequest()
    request.path_info = path
    return request


class Gate:
    """A view that blocks each request until `open` is set. `running` is the present number of requests, `most` the
    highest.
    """

    def __init__(self) -> None:
        self.running = 0
        self.most = 0
        self.answered = 0
        self.open = threading.Event()
        self._lock = threading.Lock()

    def __call__(self, _request: HttpRequest) -> HttpResponse:
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
        assert self.open.wait(WAIT_S)
        with self._lock:
            self.running -= 1
            self.answered += 1
        return HttpResponse(b"done")

    async def until_running(self, number: int) -> None:
        async with asyncio.timeout(WAIT_S):
            while self.running < number:  # noqa: ASYNC110 - counted in threads
                await asyncio.sleep(0.01)


def _header(client: Client, name: bytes) -> bytes | None:
    return dict(client.sent[0]["headers"]).get(name)


async def test_requests_beyond_the_threads_wait_and_are_all_answered() -> None:
    gate = Gate()
    application = Answering(gate, most_at_once=3)
    clients = [Client() for _ in range(12)]
    running = [asyncio.ensure_future(client.ask(application)) for client in clients]
    await gate.until_running(3)
    gate.open.set()
    await asyncio.gather(*running)
    assert gate.most == 3
    assert [client.answer for client in clients] == [b"done"] * 12


async def test_request_beyond_the_limit_gets_503_with_retry_after_and_never_runs() -> None:
    gate = Gate()
    application = Answering(gate, most_at_once=2, most_waiting=1, wait_s=0.2)
    held = [Client(), Client()]
    running = [asyncio.ensure_future(client.ask(application)) for client in held]
    await gate.until_running(2)
    waiting = Client()
    patient = asyncio.ensure_future(waiting.ask(application))
    await asyncio.sleep(0)
    refused = Client()
    await refused.ask(application)  # refused at once, because one request waits already
    await patient  # refused after its waiting time
    for client in (refused, waiting):
        assert client.sent[0]["status"] == 503
        assert _header(client, b"Retry-After") == b"5"
        assert json.loads(client.answer)["code"] == "unavailable"
    gate.open.set()
    await asyncio.gather(*running)
    assert gate.answered == 2
    later = Client()
    await later.ask(application)
    assert later.answer == b"done"


async def test_slow_downloads_hold_no_thread_and_no_turn() -> None:
    finish = asyncio.Event()
    closed: list[str] = []

    async def slow() -> AsyncIterator[bytes]:
        yield b"first"
        await finish.wait()
        yield b"last"

    def view(request: HttpRequest) -> Any:
        if request.method != "GET":
            return HttpResponse(b"done")
        response = StreamingHttpResponse(slow())
        response._resource_closers.append(lambda: closed.append(threading.current_thread().name))
        return response

    application = Answering(view, most_at_once=1, wait_s=5)
    before = set(threading.enumerate())  # ignores threads of earlier tests that are not collected yet
    downloads = [Client() for _ in range(20)]
    reading = [asyncio.ensure_future(download.ask(application)) for download in downloads]
    async with asyncio.timeout(WAIT_S):
        while not all(download.answer == b"first" for download in downloads):  # noqa: ASYNC110 - sent by the application
            await asyncio.sleep(0.01)
    assert sum(thread.name.startswith("request") for thread in set(threading.enumerate()) - before) <= 2
    other = Client(method="POST")
    await other.ask(application)
    assert other.answer == b"done"
    finish.set()
    await asyncio.gather(*reading)
    assert {download.answer for download in downloads} == {b"firstlast"}
    assert len(closed) == 20
    assert all(name.startswith("request") for name in closed)


async def test_turn_of_a_cancelled_request_ends_with_its_thread() -> None:
    """The thread still runs and holds its database connection."""
    gate = Gate()
    application = Answering(gate, most_at_once=1, wait_s=0.1)
    running = asyncio.ensure_future(Client().ask(application))
    await gate.until_running(1)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    early = Client()
    await early.ask(application)
    assert early.sent[0]["status"] == 503
    gate.open.set()
    async with asyncio.timeout(WAIT_S):
        while gate.running:  # noqa: ASYNC110 - counted in threads
            await asyncio.sleep(0.01)
        late = Client()
        await late.ask(application)
    assert late.answer == b"done"


def heartbeat(
    terminal: str = "0b9c6ab4-9e4e-4a7e-8f4e-000000000001", secret: str = "s" * 43, address: str = "192.0.2.1"
) -> Client:
    client = Client(method="POST")
    client.scope["path"] = "/api/internal/v1/heartbeat/"
    client.scope["client"] = (address, 1)
    client.scope["headers"] = [(b"host", b"localhost"), (b"authorization", f"Terminal {terminal}.{secret}".encode())]
    return client


OF_A_KIND = {
    RequestKind.HEALTH: "/api/health/",
    RequestKind.PROXY_PASSWORD: "/api/internal/v1/sign-in/password/",
    RequestKind.PROXY: "/api/internal/v1/events/",
    RequestKind.PASSWORD: "/api/v1/authentication/sign-in/",
    RequestKind.OTHER: "/api/v1/nothing/",
}


@pytest.mark.parametrize("busy", OF_A_KIND)
async def test_no_kind_of_request_waits_for_another_kind(busy: RequestKind) -> None:
    """For example, a storm of wrong passwords must not delay health checks, heartbeats or the console."""
    gate = Gate()

    def view(request: HttpRequest) -> HttpResponse:
        return gate(request) if request.path == OF_A_KIND[busy] else HttpResponse(b"well")

    application = Answering(view, most_waiting=50)
    crowd = []
    for _ in range(MOST_AT_ONCE[busy] + 5):
        client = Client()
        client.scope["path"] = OF_A_KIND[busy]
        crowd.append(asyncio.ensure_future(client.ask(application)))
    await gate.until_running(MOST_AT_ONCE[busy])
    for kind, path in OF_A_KIND.items():
        if kind is not busy:
            other = Client()
            other.scope["path"] = path
            await other.ask(application)
            assert other.answer == b"well", kind
    for _ in ("a stranger", "a known proxy"):
        beat = heartbeat()
        await beat.ask(application)
        assert beat.answer == b"well"
    gate.open.set()
    await asyncio.gather(*crowd)
    assert gate.answered == len(crowd)


@pytest.mark.parametrize("path", ["/api/health/", "/api/v1/health/"])
def test_every_path_of_the_health_page_has_the_health_kind(path: str) -> None:
    assert kind_of(path) is RequestKind.HEALTH


@pytest.mark.parametrize("connections", range(FEWEST_CONNECTIONS, DATABASE_CONNECTIONS + 1))
def test_concurrent_requests_stay_below_the_connections_of_the_pool(connections: int) -> None:
    shares = most_at_once(connections)
    assert sum(shares.values()) + WEBSOCKET_CONNECTIONS == connections
    assert min(shares.values()) >= 1
    assert all(shares[kind] <= most for kind, most in MOST_AT_ONCE.items())
