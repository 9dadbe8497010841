"""Limits for connections without a complete request: deadline and size of a request's head, and their number.

uvicorn waits indefinitely for the first request of a connection, and for the rest of a head that arrives byte by byte.
The client is not authenticated at that point, so a stranger could occupy file descriptors for free.

    deadline   from opening the connection, or from the first byte of a later request, to the end of the head
    size       a head beyond the limit is answered with 431. The same limit holds for trailers, chunk sizes with their
               extensions, and the head behind a running request; exceeding it closes the connection
    number     connections that wait for a request, and those whose body is incomplete: a new one closes the oldest.
               Bodies are closed first where they are the majority, then connections that never sent a request.
               `body_guard` limits how slowly a body may arrive
"""

import asyncio
import resource
from collections import OrderedDict
from typing import Any, ClassVar, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

#: Longer than a slow line needs for a head of several kilobytes.
HEAD_S: Final = 20.0
MAX_HEAD_BYTES: Final = 64 * 1024
#: Connections without a complete request per process, if its limit of open files is at least twice this number.
_MOST_WAITING: Final = 4_096
_TOO_LARGE: Final = b'{"error": "Request head too large"}'
_REFUSAL: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/json\r\n"
    b"x-content-type-options: nosniff\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%b"
) % (len(_TOO_LARGE), _TOO_LARGE)


class WaitingConnections:
    """The connections of this process that have no complete request, oldest first."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._silent: OrderedDict[HeadGuard, None] = OrderedDict()
        self._kept: OrderedDict[HeadGuard, None] = OrderedDict()
        self._sending: OrderedDict[HeadGuard, None] = OrderedDict()

    def add(self, connection: "HeadGuard", *, has_asked: bool) -> None:
        """The connection starts to wait. Closes the oldest connection when there are too many."""
        self.remove(connection)
        (self._kept if has_asked else self._silent)[connection] = None
        self._make_room()

    def add_sending(self, connection: "HeadGuard") -> None:
        """A body is arriving on the connection and is incomplete. Its position is that of its first piece."""
        if connection not in self._sending:
            self._sending[connection] = None
            self._make_room()

    def _make_room(self) -> None:
        waiting = len(self._silent) + len(self._kept)
        if waiting + len(self._sending) <= self._limit():
            return
        bodies_first = self._sending if len(self._sending) > waiting else None
        oldest, _ = (bodies_first or self._silent or self._kept or self._sending).popitem(last=False)
        oldest.give_up()

    def remove(self, connection: "HeadGuard") -> None:
        """The connection has a complete request, or has ended."""
        self._silent.pop(connection, None)
        self._kept.pop(connection, None)
        self._sending.pop(connection, None)

    def _limit(self) -> int:
        if self._most is None:
            soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            self._most = _MOST_WAITING if soft == resource.RLIM_INFINITY else min(_MOST_WAITING, soft // 2)
        return self._most


class HeadGuard(HttpToolsProtocol):
    """uvicorn's connection with the limits above. Runs in the event loop only."""

    head_s: ClassVar[float] = HEAD_S
    waiting: ClassVar[WaitingConnections] = WaitingConnections()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline: asyncio.TimerHandle | None = None
        #: Bytes read since the last complete head or piece of a body. The parser buffers them, at growing cost.
        self._unread_bytes = 0
        self._body_is_due = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        self._await_head()
        self.waiting.add(self, has_asked=False)

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._deadline is None and self._is_idle():
            self._await_head()
        self._unread_bytes += len(data)
        super().data_received(data)
        if self._body_is_due and not self._is_idle() and not self.transport.is_closing():
            self.waiting.add_sending(self)
        if self._unread_bytes <= MAX_HEAD_BYTES or self.transport.is_closing():
            return
        if self._deadline is not None and self._is_idle():
            self.transport.write(_REFUSAL)
            self.give_up()
        else:
            self.transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._deadline is None:  # a request behind a running request
            self._await_head()

    def on_headers_complete(self) -> None:
        self._unread_bytes = 0
        self._forget_head()
        self._body_is_due = not (self.parser.should_upgrade() and self._should_upgrade())
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unread_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unread_bytes = 0
        self._body_is_due = False
        self.waiting.remove(self)
        super().on_message_complete()
        if self._deadline is not None and self._is_idle():  # the rest of a body that was answered before its end
            self._forget_head()
            self._keep_idle()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_idle() and not self.transport.is_closing():
            self.waiting.add(self, has_asked=True)

    def give_up(self) -> None:
        """Close the connection and stop reading from it."""
        self._forget_head()
        if not self.transport.is_closing():
            self.transport.close()

    def _is_idle(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return cycle is None or cycle.response_complete

    def _await_head(self) -> None:
        self._deadline = self.loop.call_later(self.head_s, self._on_deadline)

    def _forget_head(self) -> None:
        self.waiting.remove(self)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _on_deadline(self) -> None:
        if self._is_idle():
            self.give_up()
        else:  # let the answer to the previous request finish
            self._await_head()

    def _keep_idle(self) -> None:
        self._unset_keepalive_if_required()
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)
        self.waiting.add(self, has_asked=True)
