"""Limits how many calls run at once; the others wait in order.

Python code of one process runs on one core at a time. Competing threads lose more time by switching than they gain, so
only a few calls run at once. A long call mostly waits for something else: the database, a file, another process. After
`PATIENCE_S` such a call no longer counts as running, so that the next call can start beside it.
"""

import asyncio
import contextlib
from collections import deque
from typing import Final

#: A call that runs longer than this no longer counts against `at_once`.
PATIENCE_S: Final = 0.1


class Turn:
    """Permission to run, until `over()`."""

    def __init__(self, turns: "Turns") -> None:
        self._turns = turns
        self._patience = asyncio.get_running_loop().call_later(turns.patience_s, self._become_long)
        self._is_long = False

    def over(self) -> None:
        """Return the turn. Call it once."""
        self._patience.cancel()
        self._turns.end(was_long=self._is_long)

    def _become_long(self) -> None:
        self._is_long = True
        self._turns.become_long()


class Turns:
    """At most `at_once` short calls and at most `most` calls in total. Used from a single event loop, so it needs no
    lock.
    """

    def __init__(
        self, *, at_once: int, most: int, most_waiting: int, wait_s: float, patience_s: float = PATIENCE_S
    ) -> None:
        self.patience_s = patience_s
        self._at_once = min(at_once, most)
        self._most = most
        self._most_waiting = most_waiting
        self._wait_s = wait_s
        self._short = 0
        self._running = 0
        self._waiting: deque[asyncio.Future[Turn]] = deque()

    async def take(self) -> Turn | None:
        """A turn, in order of arrival. None when too many are waiting, or after waiting for `wait_s`."""
        if self._is_free() and not self._waiting:
            return self._start()
        if len(self._waiting) >= self._most_waiting:
            return None
        try:
            async with asyncio.timeout(self._wait_s):
                return await self._queue_up()
        except TimeoutError:
            return None

    async def take_in_any_case(self) -> Turn:
        """A turn, regardless of the queue's length and the waiting time."""
        if self._is_free() and not self._waiting:
            return self._start()
        return await self._queue_up()

    def become_long(self) -> None:
        """A running call has become a long call, so the next call may start."""
        self._short -= 1
        self._start_waiting()

    def end(self, *, was_long: bool) -> None:
        """A running call has ended."""
        self._running -= 1
        if not was_long:
            self._short -= 1
        self._start_waiting()

    async def _queue_up(self) -> Turn:
        future: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            return await future
        except asyncio.CancelledError:
            if future.cancelled():
                with contextlib.suppress(ValueError):  # removed from the queue meanwhile
                    self._waiting.remove(future)
            else:  # the turn was granted at the same moment
                future.result().over()
            raise

    def _is_free(self) -> bool:
        return self._short < self._at_once and self._running < self._most

    def _start(self) -> Turn:
        self._short += 1
        self._running += 1
        return Turn(self)

    def _start_waiting(self) -> None:
        while self._waiting and self._is_free():
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(self._start())
