"""`AnswerTime`: a timeout for a peer that does not count the time in which others are asked."""

import asyncio
import contextlib
from collections.abc import Iterator
from types import TracebackType
from typing import Self


class AnswerTime:
    """Use with `async with`, which raises TimeoutError."""

    def __init__(self, seconds: float) -> None:
        self._timeout = asyncio.timeout(seconds)

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._timeout.__aexit__(kind, error, trace)

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the time meanwhile, for example while the control plane is asked. Works in any task."""
        loop = asyncio.get_running_loop()
        until_s = self._timeout.when()
        left_s = None if until_s is None else until_s - loop.time()
        self._move(None)
        try:
            yield
        finally:
            self._move(None if left_s is None else loop.time() + left_s)

    def _move(self, until_s: float | None) -> None:
        with contextlib.suppress(RuntimeError):  # over already: nobody waits any more
            self._timeout.reschedule(until_s)
