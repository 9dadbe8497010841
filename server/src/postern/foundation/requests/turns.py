"""How many calls run at once, and in which order the others wait.

Python code of one process runs on one core at a time. Threads that compete for it lose more time by changing over than they
win, so only a few calls run at once. A call that takes long mostly waits for something else: the database, a file,
another process. After `PATIENCE_S` such a call gives its place to the next one and goes on beside it.
"""

import asyncio
import contextlib
from collections import deque
from typing import Final

#: A call that runs for longer no longer counts as one that wants the interpreter.
PATIENCE_S: Final = 0.1


class Turn:
    """The right to run, until `over()`."""

    def __init__(self, turns: "Turns") -> None:
        self._turns = turns
        self._patience = asyncio.get_running_loop().call_later(turns.patience_s, self._become_long)
        self._is_long = False

    def over(self) -> None:
        """Give the turn back. Call once."""
        self._patience.cancel()
        self._turns.end(was_long=self._is_long)

    def _become_long(self) -> None:
        self._is_long = True
        self._turns.become_long()


class Turns:
    """At most `at_once` short calls and at most `most` calls in total. Belongs to one event loop; nothing is locked."""

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
        """A turn, first come, first served. None when too many wait already, or after waiting for `wait_s`."""
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
        """A turn, however many wait and however long it takes."""
        if self._is_free() and not self._waiting:
            return self._start()
        return await self._queue_up()

    def become_long(self) -> None:
        """A running call has become a long one: the next may start beside it."""
        self._short -= 1
        self._start_waiting()

    def end(self, *, was_long: bool) -> None:
        """A running call has ended."""
        self._running -= 1
        if not was_long:
            self._short -= 1
        self._start_waiting()

    async def _queue_up(self) -> Turn:
        place: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            return await place
        except asyncio.CancelledError:
            if place.cancelled():
                with contextlib.suppress(ValueError):  # passed over meanwhile
                    self._waiting.remove(place)
            else:  # the turn came at the same moment
                place.result().over()
            raise

    def _is_free(self) -> bool:
        return self._short < self._at_once and self._running < self._most

    def _start(self) -> Turn:
        self._short += 1
        self._running += 1
        return Turn(self)

    def _start_waiting(self) -> None:
        while self._waiting and self._is_free():
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(self._start())
