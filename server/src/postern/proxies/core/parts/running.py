"""Starts and runs parts, and shuts them down in order."""

import asyncio
import logging
from contextlib import AsyncExitStack
from typing import Self

from postern.proxies.core.control.announcement import Announcement
from postern.proxies.core.parts.budget import StopBudget
from postern.proxies.core.parts.part import Part

log = logging.getLogger(__name__)


class Running:
    """The running parts of a process. Leaving the context stops the started parts in reverse order."""

    def __init__(self, budget: StopBudget) -> None:
        self._budget = budget
        self._parts: list[Part] = []
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    async def start(self, *parts: Part) -> None:
        """Start these parts in order. An exception of a part that cannot start is passed on."""
        for part in parts:
            await part.start()
            self._stack.push_async_callback(part.stop)
            self._parts.append(part)

    def addresses(self) -> list[tuple[str, int]]:
        """Return the addresses on which the parts listen."""
        return [address for part in self._parts for address in part.addresses()]

    def announcement(self) -> Announcement:
        """Combine the heartbeat fields of all parts."""
        combined = Announcement()
        for part in self._parts:
            combined = combined.beside(part.announces())
        return combined

    async def serve(self, *ends: asyncio.Event) -> bool:
        """Run until one of the events is set, then close and drain. Returns False if a part ended on its own, which is
        an error.
        """
        works = {
            asyncio.create_task(part.work(), name=part.name): part for part in self._parts if part.work is not None
        }
        waits = {asyncio.create_task(end.wait(), name="end") for end in ends}
        try:
            done, _ = await asyncio.wait({*works, *waits}, return_when=asyncio.FIRST_COMPLETED)
            failed = [task for task in done if task in works]
            for task in failed:
                log.error("%s stopped: %r", task.get_name(), task.exception())
            await self._drain()
        finally:
            for task in (*works, *waits):
                task.cancel()
            await asyncio.gather(*works, *waits, return_exceptions=True)
        return not failed

    async def _drain(self) -> None:
        for part in self._parts:
            part.close()
        for part in sorted(self._parts, key=lambda part: part.stage):
            if part.drain is not None:
                await part.drain(self._budget)
