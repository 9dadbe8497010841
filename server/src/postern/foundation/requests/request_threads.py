"""How requests run under ASGI: in one piece, on threads that are kept from one to the next, and not on more of them than the
database has connections.

Django would give each request a thread of its own and end it afterwards. With the thread goes its database connection, and with a
SQLite connection everything that it knows: opening one and reading the schema of a hundred tables costs more than a whole
page of a list. So requests borrow one of a few threads that stay.

Django switches between the event loop and a worker thread several times per request: for the signals, for each middleware of another
kind than the one before it, for the view, for the closing of the answer. All our code is synchronous, so all of it runs in one go: the
event loop reads the body, hands it over once, and sends what comes back.

A request waits until it is its turn (`foundation.requests.turns`). One that waits too long, or finds too many waiting, is answered with 503 and
`Retry-After`. Each kind of request has turns of its own (`foundation.requests.request_kinds`): health checks and heartbeats never wait behind work, and
sign-ins hold up nothing but sign-ins. An answer that is streamed needs no turn: it holds neither thread nor connection while the client reads it.
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

from postern.foundation.database.connections import pool_size, release_connections
from postern.foundation.requests import request_kinds
from postern.foundation.requests.heartbeat_gate import HeartbeatGate
from postern.foundation.requests.request_kinds import RequestKind, kind_of
from postern.foundation.requests.turns import Turn, Turns
from postern.foundation.settings import Network

Scope = Mapping[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
_Result = TypeVar("_Result")

#: Short requests that run at once; measured, see docs/decisions/0022.
_AT_ONCE: Final = 2
#: Requests that may wait for a turn, and for how long; their bodies are in memory already.
_MOST_WAITING: Final = 256
_WAIT_S: Final = 10.0
_RETRY_AFTER_S: Final = 5
#: Threads kept alive while idle.
_KEPT: Final = 8
#: Maximum number of cached path-to-view resolutions; larger than the number of routes.
_VIEWS: Final = 2_000
_OK: Final = 200
_UNAUTHORIZED: Final = 401
#: Answers that say whether a credential holds.
_JUDGED: Final = frozenset({_OK, _UNAUTHORIZED, 403})
#: Headers of an answer that no view has made.
_PLAIN: Final = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
_BODILESS: Final = frozenset({204, 304})
_BODY_HEADERS: Final = frozenset({b"content-length", b"transfer-encoding"})


class RequestThreads(ASGIHandler):
    """Django's ASGI handler on threads that are kept. What is called from the event loop only is not locked."""

    def __init__(
        self,
        *,
        kept: int = _KEPT,
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
        self._kept = kept
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
        """Nobody who only claims to be a proxy keeps proxies out (`foundation.requests.heartbeat_gate`)."""
        shown = self._gate.read(scope)
        if shown is None:
            return JsonResponse(
                {"detail": "a heartbeat needs the credential of a proxy", "code": "not_authenticated"},
                status=_UNAUTHORIZED,
                headers={"WWW-Authenticate": "Terminal", **_PLAIN},
            )
        kind = self._gate.kind_of(shown)
        with self._gate.place(shown, kind) as has_place:
            turn = await self._turns[kind].take() if has_place else None
        response = await self._in_turn(turn, scope, body)
        if turn is not None and response.status_code in _JUDGED:
            self._gate.note(shown, held=response.status_code == _OK)
        return response

    async def _in_thread(self, turn: Turn, call: Callable[..., _Result], *arguments: Any) -> _Result:
        """Run `call` in a thread of its own. The turn ends when the call does.

        A caller who is cancelled does not end the call: the thread, its connection and the turn are taken until then.
        """
        loop = asyncio.get_running_loop()
        # The thread used last: its connection and caches are warm, and the others may stay asleep
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(max_workers=1, thread_name_prefix="request")
        running = thread.submit(contextvars.copy_context().run, _call_from, loop, call, *arguments)

        def over() -> None:
            self._give_back(thread)
            turn.over()

        def tell(_running: object) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has closed: the process ends
                loop.call_soon_threadsafe(over)

        # Before the caller goes on: a client that asks again as soon as it has its answer finds the warm thread
        running.add_done_callback(tell)
        return await asyncio.wrap_future(running)

    def _refusal(self, scope: Scope) -> HttpResponse:
        request, _refused = self.create_request(scope, BytesIO())
        with translation.override(translation.get_language_from_request(request) if request is not None else None):
            message = str(_("Too many requests are running at the moment; try again."))
        headers = {"Retry-After": str(_RETRY_AFTER_S), **_PLAIN}
        return JsonResponse({"detail": message, "code": "unavailable"}, status=503, headers=headers)

    def resolve_request(self, request: HttpRequest) -> ResolverMatch:
        """The view of a path. One that holds no value (a list, not an object) leads to the same view each time."""
        if hasattr(request, "urlconf"):
            return super().resolve_request(request)
        found = self._views.get(request.path_info)
        if found is None:
            found = get_resolver().resolve(request.path_info)
            if not (found.args or found.kwargs) and len(self._views) < _VIEWS:
                self._views[request.path_info] = found
        request.resolver_match = found
        return found

    async def _body(self, scope: Scope, receive: Receive) -> IO[bytes]:
        if not any(name in _BODY_HEADERS for name, _value in scope["headers"]):
            return BytesIO()
        body: IO[bytes] = await self.read_body(receive)
        return body

    def _answer(self, scope: Scope, body: IO[bytes]) -> HttpResponseBase:
        """In the thread: the whole request. An answer that is not streamed is complete and closed."""
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
        """Send piece by piece until the end, or until the client has gone."""
        sending = asyncio.create_task(self.send_response(response, send))
        gone = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait((sending, gone), return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            for task in (gone, sending):
                task.cancel()
            await asyncio.gather(gone, sending, return_exceptions=True)
            # However many wait: what is open is closed
            await self._in_thread(await self._turns[RequestKind.OTHER].take_in_any_case(), response.close)

    def _give_back(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < self._kept:
            self._idle.append(thread)
        else:
            thread.submit(connections.close_all)
            thread.shutdown(wait=False)


def _call_from(loop: asyncio.AbstractEventLoop, call: Callable[..., _Result], *arguments: Any) -> _Result:
    """In the thread. For `async_to_sync`: what must run in an event loop runs in `loop`, where its connections are."""
    SyncToAsync.threadlocal.main_event_loop = loop
    SyncToAsync.threadlocal.main_event_loop_pid = os.getpid()
    SyncToAsync.threadlocal.task_context = []
    return call(*arguments)


async def _gone(receive: Receive) -> None:
    """Wait until the client has closed its end."""
    while (await receive())["type"] != "http.disconnect":
        pass
