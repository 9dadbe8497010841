"""How requests run under ASGI: in one piece, on threads that are kept from one to the next.

Django would give each request a thread of its own and end it afterwards. With the thread goes its database connection, and with a
SQLite connection everything that it knows: opening one and reading the schema of a hundred tables costs more than a whole
page of a list. So requests borrow one of a few threads that stay.

Django would also go back and forth between event loop and thread: for the signals, for each middleware of another kind than the one
before it, for the view, for the closing of the answer. All our code is synchronous, so all of it runs in one go: the event loop
reads the body, hands it over once, and sends what comes back.
"""

import asyncio
import contextvars
import os
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import IO, Any, Final

from asgiref.sync import SyncToAsync, ThreadSensitiveContext
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.db import connections
from django.http import HttpRequest
from django.http.response import FileResponse, HttpResponse, HttpResponseBase
from django.urls import ResolverMatch, get_resolver, set_script_prefix

Scope = Mapping[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

#: So many threads stay when nothing is to be done; more requests at once get more, which end with them.
_KEPT: Final = 8
#: So many paths are remembered with their views: more than there are routes.
_VIEWS: Final = 2_000
_BODILESS: Final = frozenset({204, 304})
_BODY_HEADERS: Final = frozenset({b"content-length", b"transfer-encoding"})


class RequestThreads(ASGIHandler):
    """Django's ASGI handler on threads that are kept. What is called from the event loop only is not locked."""

    def __init__(self, *, kept: int = _KEPT) -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)
        self._kept = kept
        self._idle: deque[ThreadPoolExecutor] = deque()
        self._views: dict[str, ResolverMatch] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"only for requests, not for {scope['type']}")
        try:
            body = await self._body(scope, receive)
        except RequestAborted:
            return
        # The one used last: its connection and caches are warm, and the others may stay asleep
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(max_workers=1, thread_name_prefix="request")
        is_free = True
        try:
            loop = asyncio.get_running_loop()
            context = contextvars.copy_context()
            response = await loop.run_in_executor(thread, context.run, self._answer, loop, scope, body)
            if response.streaming:
                async with ThreadSensitiveContext(executor=thread):
                    await self._stream(response, thread, receive, send)
        except asyncio.CancelledError:
            is_free = False  # it may still be at work
            raise
        finally:
            # Before the answer is sent: a client that asks again at once finds the warm thread
            self._give_back(thread, is_free=is_free)
        if not response.streaming:
            await self.send_response(response, send)

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

    def _answer(self, loop: asyncio.AbstractEventLoop, scope: Scope, body: IO[bytes]) -> HttpResponseBase:
        """In the thread: the whole request. An answer that is not streamed is complete and closed."""
        # For `async_to_sync`: what must run in an event loop runs in this one, where its connections are
        SyncToAsync.threadlocal.main_event_loop = loop
        SyncToAsync.threadlocal.main_event_loop_pid = os.getpid()
        SyncToAsync.threadlocal.task_context = []
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, refusal = self.create_request(scope, body)
        response = refusal if request is None else self.get_response(request)
        if response is None:
            raise RuntimeError("neither a request nor its refusal")
        response._handler_class = self.__class__  # type: ignore[attr-defined]  # noqa: SLF001 - the sender of the signal of its closing
        if response.streaming:
            _release_database()
            if isinstance(response, FileResponse):
                response.block_size = self.chunk_size
            response._resource_closers.append(body.close)  # type: ignore[attr-defined]  # noqa: SLF001 - as the request's own files
        else:
            if isinstance(response, HttpResponse) and response.status_code not in _BODILESS:
                response.headers.setdefault("Content-Length", str(len(response.content)))
            response.close()
            body.close()
        return response

    async def _stream(
        self, response: HttpResponseBase, thread: ThreadPoolExecutor, receive: Receive, send: Send
    ) -> None:
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
            await asyncio.get_running_loop().run_in_executor(thread, response.close)

    def _give_back(self, thread: ThreadPoolExecutor, *, is_free: bool) -> None:
        if is_free and len(self._idle) < self._kept:
            self._idle.append(thread)
        else:
            thread.submit(connections.close_all)
            thread.shutdown(wait=False)


def _release_database() -> None:
    """Give this thread's connections back: a client may take an hour to read a long answer, and the pool is small."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()


async def _gone(receive: Receive) -> None:
    """Wait until the client has closed its end."""
    while (await receive())["type"] != "http.disconnect":
        pass
