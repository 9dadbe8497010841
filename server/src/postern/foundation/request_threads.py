"""How requests run under ASGI: in one piece, on threads that are kept from one to the next.

Django would give each request a thread of its own and end it afterwards. With the thread goes its database connection, and with a
SQLite connection everything that it knows: opening one and reading the schema of a hundred tables costs more than a whole
page of a list. So requests borrow one of a few threads that stay.

It would also run those middlewares that can in the event loop and the others in the thread, with a change of thread between any two of
different kind: a dozen for a request. All our code is synchronous, so all of it runs in one go.
"""

from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.base import BaseHandler
from django.db import connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

#: So many threads stay when nothing is to be done; more requests at once get more, which end with them.
_KEPT: Final = 8


class OnePieceHandler(ASGIHandler):
    """Django's ASGI handler, with all middlewares and the view called in the thread of the request."""

    def __init__(self) -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """The answer, from the synchronous chain."""
        return await sync_to_async(self.get_response, thread_sensitive=True)(request)


class RequestThreads:
    """ASGI middleware around the HTTP application. All of it runs in the event loop, so nothing here is locked."""

    def __init__(self, application: Application, *, kept: int = _KEPT) -> None:
        self._application = application
        self._kept = kept
        self._idle: deque[ThreadPoolExecutor] = deque()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The one used last: its connection and caches are warm, and the others may stay asleep
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(max_workers=1, thread_name_prefix="request")
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self._application(scope, receive, send)
        finally:
            if len(self._idle) < self._kept:
                self._idle.append(thread)
            else:
                thread.submit(connections.close_all)
                thread.shutdown(wait=False)
