"""Runs each request under ASGI in a single thread call, on reused threads, with no more concurrency than database
connections.

Django creates a thread for each request and ends it afterwards, which also closes the thread's database connection.
Opening a SQLite connection and reading the schema of a hundred tables costs more than a whole page of a list. So
requests use a small pool of threads that stay alive.

Django switches between the event loop and a worker thread several times per request: for signals, between middleware of
different kinds, for the view, and for closing the answer. All our code is synchronous, so it runs in one thread call:
the event loop reads the body, hands it over once, and sends the answer.

A request waits for its turn (`foundation.requests.turns`). If it waits too long or too many are waiting, the answer is
503 with `Retry-After`. Each kind of request has its own turns (`foundation.requests.request_kinds`): health checks and
heartbeats never wait behind other work, and sign-ins delay only sign-ins. Streaming an answer needs no turn, since it
holds neither a thread nor a connection while the client reads it.
"""

import asyncio
import contextlib
import contextvars
import os
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import IO, Any, Final, TypeVar

from asgiref.sync import SyncToAsync
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.db import connections
from django.http import HttpRequest
from django.http.response import FileResponse, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import ResolverMatch, get_resolver, set_script_prefix
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from postern.foundation.configuration.environ import Network
from postern.foundation.database.connections import pool_size, release_connections
from postern.foundation.requests import request_kinds
from postern.foundation.requests.heartbeat_gate import HeartbeatGate
from postern.foundation.requests.request_kinds import RequestKind, kind_of
from postern.foundation.requests.turns import Turn, Turns

Scope = Mapping[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
_Result = TypeVar("_Result")

#: Short requests that run at once; measured, see docs/decisions/0022.
_AT_ONCE: Final = 2
#: Maximum number of waiting requests, whose bodies are in memory already, and their maximum waiting time.
_MOST_WAITING: Final = 256
_WAIT_S: Final = 10.0
_RETRY_AFTER_S: Final = 5
#: Threads kept alive while idle.
_IDLE_THREADS: Final = 8
#: Maximum number of cached path-to-view resolutions; larger than the number of routes.
_VIEWS: Final = 2_000
_OK: Final = 200
_UNAUTHORIZED: Final = 401
#: Status codes that show whether a credential is valid.
_JUDGED: Final = frozenset({_OK, _UNAUTHORIZED, 403})
#: Headers of answers that do not come from a view.
_PLAIN: Final = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
_BODILESS: Final = frozenset({204, 304})
_BODY_HEADERS: Final = frozenset({b"content-length", b"transfer-encoding"})


class RequestThreads(ASGIHandler):
    """Django's ASGI handler with reused threads. Its state is used from the event loop only, so it needs no lock."""

    def __init__(
        self,
        *,
        idle_threads: int = _IDLE_THREADS,
        at_once: int = _AT_ONCE,
        most_at_once: int | None = None,
        most_waiting: int = _MOST_WAITING,
        wait_s: float = _WAIT_S,
        trusted_proxies: Sequence[Network] = (),
    ) -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)
        shares = request_kinds.most_at_once(pool_size())
        others = {} if most_at_once is None else {RequestKind.OTHER: most_at_once}
        self._idle_threads = idle_threads
        self._turns = {
            kind: Turns(at_once=at_once, most=most, most_waiting=most_waiting, wait_s=wait_s)
            for kind, most in (shares | others).items()
        }
        self._gate = HeartbeatGate(trusted_proxies)
        self._idle: deque[ThreadPoolExecutor] = deque()
        self._views: dict[str, ResolverMatch] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"only for requests, not for {scope['type']}")
        try:
            body = await self._body(scope, receive)
        except RequestAborted:
            return
        kind = kind_of(scope["path"])
        if kind is RequestKind.HEARTBEAT:
            response = await self._heartbeat(scope, body)
        else:
            response = await self._in_turn(await self._turns[kind].take(), scope, body)
        if response.streaming:
            await self._stream(response, receive, send)
        else:
            await self.send_response(response, send)

    async def _in_turn(self, turn: Turn | None, scope: Scope, body: IO[bytes]) -> HttpResponseBase:
        return self._refusal(scope) if turn is None else await self._in_thread(turn, self._answer, scope, body)

    async def _heartbeat(self, scope: Scope, body: IO[bytes]) -> HttpResponseBase:
        """Answer a heartbeat so that requests with forged credentials cannot delay proxies
        (`foundation.requests.heartbeat_gate`).
        """
        claims = self._gate.read(scope)
        if claims is None:
            return JsonResponse(
                {"detail": "a heartbeat needs the credential of a proxy", "code": "not_authenticated"},
                status=_UNAUTHORIZED,
                headers={"WWW-Authenticate": "Terminal", **_PLAIN},
            )
        kind = self._gate.kind_of(claims)
        with self._gate.place(claims, kind) as has_place:
            turn = await self._turns[kind].take() if has_place else None
        response = await self._in_turn(turn, scope, body)
        if turn is not None and response.status_code in _JUDGED:
            self._gate.note(claims, held=response.status_code == _OK)
        return response

    async def _in_thread(self, turn: Turn, call: Callable[..., _Result], *arguments: Any) -> _Result:
        """Run `call` in a thread. The turn ends when the call does.

        Cancelling the caller does not end the call: thread, connection and turn stay in use until it returns.
        """
        loop = asyncio.get_running_loop()
        # Prefer the thread used last: its connection and caches are warm, and the others can stay idle.
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(max_workers=1, thread_name_prefix="request")
        running = thread.submit(contextvars.copy_context().run, _call_from, loop, call, *arguments)

        def over() -> None:
            self._give_back(thread)
            turn.over()

        def tell(_running: object) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has closed because the process ends
                loop.call_soon_threadsafe(over)

        # Runs before the caller continues: a client that sends its next request at once gets the warm thread.
        running.add_done_callback(tell)
        return await asyncio.wrap_future(running)

    def _refusal(self, scope: Scope) -> HttpResponse:
        request, _refused = self.create_request(scope, BytesIO())
        with translation.override(translation.get_language_from_request(request) if request is not None else None):
            message = str(_("Too many requests are running at the moment. Try again in a few seconds."))
        headers = {"Retry-After": str(_RETRY_AFTER_S), **_PLAIN}
        return JsonResponse({"detail": message, "code": "unavailable"}, status=503, headers=headers)

    def resolve_request(self, request: HttpRequest) -> ResolverMatch:
        """Resolve the path to a view. Results without path parameters are cached, because they never differ."""
        if hasattr(request, "urlconf"):
            return super().resolve_request(request)
        match = self._views.get(request.path_info)
        if match is None:
            match = get_resolver().resolve(request.path_info)
            if not (match.args or match.kwargs) and len(self._views) < _VIEWS:
                self._views[request.path_info] = match
        request.resolver_match = match
        return match

    async def _body(self, scope: Scope, receive: Receive) -> IO[bytes]:
        if not any(name in _BODY_HEADERS for name, _value in scope["headers"]):
            return BytesIO()
        body: IO[bytes] = await self.read_body(receive)
        return body

    def _answer(self, scope: Scope, body: IO[bytes]) -> HttpResponseBase:
        """Handle the whole request, in the thread. Answers that are not streamed are complete and closed afterwards."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, refusal = self.create_request(scope, body)
        response = refusal if request is None else self.get_response(request)
        if response is None:
            raise RuntimeError("neither a request nor its refusal")
        response._handler_class = self.__class__  # type: ignore[attr-defined]  # noqa: SLF001 - the sender of the signal of its closing
        if response.streaming:
            release_connections()
            if isinstance(response, FileResponse):
                response.block_size = self.chunk_size
            response._resource_closers.append(body.close)  # type: ignore[attr-defined]  # noqa: SLF001 - as the request's own files
        else:
            if isinstance(response, HttpResponse) and response.status_code not in _BODILESS:
                response.headers.setdefault("Content-Length", str(len(response.content)))
            response.close()
            body.close()
        return response

    async def _stream(self, response: HttpResponseBase, receive: Receive, send: Send) -> None:
        """Send pieces until the end, or until the client disconnects."""
        sending = asyncio.create_task(self.send_response(response, send))
        disconnected = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait((sending, disconnected), return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            for task in (disconnected, sending):
                task.cancel()
            await asyncio.gather(disconnected, sending, return_exceptions=True)
            # Closing must happen even if the waiting queue is full.
            await self._in_thread(await self._turns[RequestKind.OTHER].take_in_any_case(), response.close)

    def _give_back(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < self._idle_threads:
            self._idle.append(thread)
        else:
            thread.submit(connections.close_all)
            thread.shutdown(wait=False)


def _call_from(loop: asyncio.AbstractEventLoop, call: Callable[..., _Result], *arguments: Any) -> _Result:
    """Call the function in the thread. `async_to_sync` then runs coroutines in `loop`, to which their connections
    belong.
    """
    SyncToAsync.threadlocal.main_event_loop = loop
    SyncToAsync.threadlocal.main_event_loop_pid = os.getpid()
    SyncToAsync.threadlocal.task_context = []
    return call(*arguments)


async def _gone(receive: Receive) -> None:
    """Wait until the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
