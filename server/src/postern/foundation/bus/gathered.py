"""Coalesce work that many events request into one call, shortly afterwards, in a thread of this process.

    rechecks: Gathered[UUID] = Gathered("rechecks", recheck)
    rechecks.ask(org_id)           # returns at once; a hundred calls cause one `recheck({org_id})`

For work that should happen quickly but may be lost: requests are forgotten when the process dies. Something else, such
as a periodic task, must guarantee the work.
"""

import logging
import threading
import time
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

from django.db import connections

log = logging.getLogger(__name__)

_Key = TypeVar("_Key", bound=Hashable)
#: Long enough to collect all events of one request.
GATHER_S: Final = 0.05


class Gathered(Generic[_Key]):
    """Collects keys and passes them to `work`, one call at a time. The thread exits when no keys are left."""

    def __init__(self, name: str, work: Callable[[frozenset[_Key]], object]) -> None:
        self._name = name
        self._work = work
        self._lock = threading.Lock()
        self._keys: set[_Key] = set()
        self._is_running = False
        self._thread: threading.Thread | None = None

    def ask(self, key: _Key) -> None:
        """Request the work for this key. Keys that arrive while `work` runs are handled by another run."""
        with self._lock:
            self._keys.add(key)
            if self._is_running:
                return
            self._is_running = True
        # Not a daemon thread: a management command waits at its end for the work that it has requested.
        self._thread = threading.Thread(target=self._run, name=self._name)
        self._thread.start()

    def wait(self) -> None:
        """Block until all requested work is done."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        try:
            while keys := self._taken():
                try:
                    self._work(keys)
                except Exception:  # keys that were requested later must still be handled
                    log.exception("%s failed", self._name)
        finally:
            connections.close_all()

    def _taken(self) -> frozenset[_Key]:
        time.sleep(GATHER_S)
        with self._lock:
            keys, self._keys = frozenset(self._keys), set()
            self._is_running = bool(keys)
        return keys
