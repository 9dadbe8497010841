"""Threads for requests, kept from one to the next.

Under ASGI Django gives each request a thread of its own and ends it afterwards. With the thread goes its database connection, and
with a SQLite connection everything that it knows: opening one and reading the schema of a hundred tables costs more than a
whole page of a list. So requests borrow one of a few threads that stay.
"""

from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from asgiref.sync import ThreadSensitiveContext
from django.db import connections

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

#: So many threads stay when nothing is to be done; more requests at once get more, which end with them.
_KEPT: Final = 8


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
