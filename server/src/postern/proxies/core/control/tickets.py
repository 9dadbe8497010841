"""Tickets of the users who are signed in at this proxy.

Tickets are prolonged while the connection is open and returned when it closes.
"""

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

#: A ticket is valid for ten minutes, so several reports may fail before users have to sign in again.
_REPORT_S: Final = 60.0
#: Connections that close within this time are reported together.
_GATHER_S: Final = 1.0
_RETRY_S: Final = 5.0
#: Maximum number of unreported closed tickets. Further tickets expire on their own within ten minutes.
_MAX_CLOSED: Final = 10_000


class TicketKeeper:
    """The open tickets, each with a callback for when it becomes invalid."""

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane
        self._open: dict[str, Callable[[], None]] = {}
        self._closed: deque[str] = deque(maxlen=_MAX_CLOSED)
        self._closing = asyncio.Event()

    def take(self, ticket: str, on_void: Callable[[], None]) -> None:
        """Add the ticket of a sign-in. `on_void` is called at most once."""
        self._open[ticket] = on_void

    def give_back(self, ticket: str) -> None:
        """Report that the ticket's connection is closed. A ticket that was never taken is reported as well."""
        self._open.pop(ticket, None)
        self._closed.append(ticket)
        self._closing.set()

    async def run(self) -> None:
        """Report tickets until cancelled."""
        while True:
            wait_s = _REPORT_S if await self.report() else _RETRY_S
            await pause(wait_s, self._closing)
            if self._closing.is_set():
                await asyncio.sleep(_GATHER_S)
                self._closing.clear()

    async def reported(self, limit_s: float) -> None:
        """Report the closed tickets before the proxy stops, within the time limit. Never raises."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                await self.report()

    async def report(self) -> bool:
        """Report once to the control plane. Returns False on failure; the closed tickets are then reported again."""
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
    """Split both lists into as few reports as possible. Yields none if both are empty."""
    for at in range(0, max(len(opened), len(closed)), MAX_TICKETS):
        yield TicketReport(open=tuple(opened[at : at + MAX_TICKETS]), closed=tuple(closed[at : at + MAX_TICKETS]))
