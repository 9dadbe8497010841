"""`PromptTasks`: runs periodic tasks in threads of this process, soon after they were asked for."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from django.db import close_old_connections

from postern.foundation.bus.gathered import GATHER_S

log = logging.getLogger(__name__)


class PromptTasks:
    """Each task has a thread when it needs one, so that a slow task delays no other, and runs once at a time.

    Threads stay and keep their connection to the database where the settings say so: opening SQLite reads the whole
    schema, which takes longer than most tasks.
    """

    def __init__(self, tasks: Mapping[str, Callable[[], object]]) -> None:
        self._tasks = tasks
        self._threads = ThreadPoolExecutor(max_workers=max(len(tasks), 1), thread_name_prefix="periodic task")
        self._lock = threading.Lock()
        #: Tasks that have been asked for since their last run began.
        self._wanted: set[str] = set()
        self._running: set[str] = set()
        self._is_stopped = False

    def run(self, name: str) -> None:
        """Run the task soon. Requests that come while it runs cause one more run. Names of other versions are ignored."""
        if name not in self._tasks:
            return
        with self._lock:
            self._wanted.add(name)
            if name in self._running or self._is_stopped:
                return
            self._running.add(name)
            self._threads.submit(self._run, name)

    def stop(self) -> None:
        """Begin nothing more, and wait for the runs that have begun and were asked for."""
        with self._lock:
            self._is_stopped = True
        self._threads.shutdown()

    def _run(self, name: str) -> None:
        while self._is_wanted(name):
            try:
                self._tasks[name]()
            except Exception:  # requests that came later must still be met
                log.exception("%s failed", name)
            finally:
                close_old_connections()

    def _is_wanted(self, name: str) -> bool:
        time.sleep(GATHER_S)
        with self._lock:
            if name in self._wanted:
                self._wanted.remove(name)
                return True
            self._running.remove(name)
            return False
