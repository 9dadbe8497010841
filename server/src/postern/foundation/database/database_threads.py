"""A few threads for short work that uses the database.

Opening a connection costs more than a small query: SQLite reads the whole schema first. So a thread keeps its connection
from one call to the next, and ends when no work has come for some seconds; a program that is idle holds neither threads
nor connections. A pooled connection is returned after each call, as at the end of a request.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Final

from django.db import close_old_connections, connections

log = logging.getLogger(__name__)

#: How long a thread waits for more work.
IDLE_S: Final = 5.0


class DatabaseThreads:
    """At most `most` calls run at the same time; others wait for their turn. Its methods may be called by any thread."""

    def __init__(self, most: int, name: str, *, idle_s: float = IDLE_S) -> None:
        self._most = most
        self._name = name
        self._idle_s = idle_s
        self._condition = threading.Condition()
        self._waiting: deque[Callable[[], object]] = deque()
        self._threads = 0
        self._idle = 0
        self._is_closed = False

    def submit(self, call: Callable[[], object]) -> None:
        """Run the call soon, in one of the threads. What it raises is logged. After `close` nothing is run."""
        with self._condition:
            if self._is_closed:
                return
            self._waiting.append(call)
            if len(self._waiting) > self._idle and self._threads < self._most:
                self._threads += 1
                threading.Thread(target=self._run, name=self._name, daemon=True).start()
            else:
                self._condition.notify()

    def close(self) -> None:
        """Forget the calls that wait. Those that run go on to their end, which is not waited for."""
        with self._condition:
            self._is_closed = True
            self._waiting.clear()
            self._condition.notify_all()

    def _run(self) -> None:
        try:
            while (call := self._next()) is not None:
                try:
                    call()
                except Exception:  # the calls of others must run
                    log.exception("%s: a call failed", self._name)
                close_old_connections()  # broken connections too
        finally:
            connections.close_all()

    def _next(self) -> Callable[[], object] | None:
        """The next call; None when this thread has to end."""
        with self._condition:
            self._idle += 1
            self._condition.wait_for(lambda: self._waiting or self._is_closed, self._idle_s)
            self._idle -= 1
            if self._waiting:
                return self._waiting.popleft()
            self._threads -= 1
            return None
