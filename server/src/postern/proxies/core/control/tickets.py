"""The tickets of everybody who is signed in at this proxy: prolonged while the connection is open, given back when it closes."""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from postern.contracts.access import MAX_TICKETS, TicketReport
from postern.proxies.core.control.client import pause
from postern.proxies.core.control.plane import ControlPlane, ControlRefused, ControlUnavailable

log = logging.getLogger(__name__)

#: A ticket lives for ten minutes: a report may fail some times before anybody has to sign in anew.
_REPORT_S: Final = 60.0
#: Connections that close together are told together.
_GATHER_S: Final = 1.0
_RETRY_S: Final = 5.0
#: Unreported ones beyond that are void by themselves within ten minutes.
_MAX_CLOSED: Final = 10_000


class TicketKeeper:
    """Every ticket in use, with what to do when it is worth nothing any more."""

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane
        self._open: dict[str, Callable[[], None]] = {}
        self._closed: deque[str] = deque(maxlen=_MAX_CLOSED)
        self._closing = asyncio.Event()

    def take(self, ticket: str, on_void: Callable[[], None]) -> None:
        """Somebody signed in; `on_void` is called at most once."""
        self._open[ticket] = on_void

    def give_back(self, ticket: str) -> None:
        """The connection is closed. Giving back what was never taken tells of it all the same."""
        self._open.pop(ticket, None)
        self._closed.append(ticket)
        self._closing.set()

    async def run(self) -> None:
        """Report until cancelled."""
        while True:
            wait_s = _REPORT_S if await self.report() else _RETRY_S
            await pause(wait_s, self._closing)
            if self._closing.is_set():
                await asyncio.sleep(_GATHER_S)
                self._closing.clear()

    async def reported(self, limit_s: float) -> None:
        """Tell what was closed before the proxy stops, if that can be done in time. Never raises."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                await self.report()

    async def report(self) -> bool:
        """Tell the control plane once. False when it could not be told; what was closed is then told again."""
        opened = tuple(self._open)
        closed = tuple(self._closed)
        self._closed.clear()
        for part in _parts(opened, closed):
            try:
                answer = await self._plane.report_tickets(part)
            except (ControlUnavailable, ControlRefused) as error:
                log.debug("tickets could not be reported: %s", error.message)
                self._closed.extend(closed)
                return False
            for at in answer.void:
                on_void = self._open.pop(part.open[at], None) if 0 <= at < len(part.open) else None
                if on_void is not None:
                    on_void()
        return True


def _parts(opened: Sequence[str], closed: Sequence[str]) -> Iterator[TicketReport]:
    """Both lists in as few reports as they need; none when both are empty."""
    for at in range(0, max(len(opened), len(closed)), MAX_TICKETS):
        yield TicketReport(open=tuple(opened[at : at + MAX_TICKETS]), closed=tuple(closed[at : at + MAX_TICKETS]))
