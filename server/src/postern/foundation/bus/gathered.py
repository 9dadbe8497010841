"""Work that many events ask for at once is done once, soon afterwards, in a thread of this process.

    rechecks: Gathered[UUID] = Gathered("rechecks", recheck)
    rechecks.ask(org_id)           # returns at once; a hundred calls make one `recheck({org_id})`

For what must be quick and may be lost: a process that dies forgets what it was asked, so something else (a periodic task)
has to make certain what this makes quick.
"""

import logging
import threading
import time
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

from django.db import connections

log = logging.getLogger(__name__)

_Key = TypeVar("_Key", bound=Hashable)
#: Events of one request come within this time; they are answered together.
GATHER_S: Final = 0.05


class Gathered(Generic[_Key]):
    """Collects keys and hands them to `work`, one call at a time. The thread lives while there is something to do."""

    def __init__(self, name: str, work: Callable[[frozenset[_Key]], object]) -> None:
        self._name = name
        self._work = work
        self._lock = threading.Lock()
        self._keys: set[_Key] = set()
        self._is_running = False
        self._thread: threading.Thread | None = None

    def ask(self, key: _Key) -> None:
        """Have the work done for this key soon. What is asked while the work runs is done by another run after it."""
        with self._lock:
            self._keys.add(key)
            if self._is_running:
                return
            self._is_running = True
        # Not a daemon: a command that changes something and ends waits for what it has asked for.
        self._thread = threading.Thread(target=self._run, name=self._name)
        self._thread.start()

    def wait(self) -> None:
        """Until nothing is left to do."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        try:
            while keys := self._taken():
                try:
                    self._work(keys)
                except Exception:  # what was asked later must still be done
                    log.exception("%s failed", self._name)
        finally:
            connections.close_all()

    def _taken(self) -> frozenset[_Key]:
        time.sleep(GATHER_S)
        with self._lock:
            keys, self._keys = frozenset(self._keys), set()
            self._is_running = bool(keys)
        return keys
