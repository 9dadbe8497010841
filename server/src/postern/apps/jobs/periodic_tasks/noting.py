"""`RunsNoted`: counts the runs of periodic tasks in a worker, and writes them once a minute."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.db import Error, connection

from postern.apps.jobs.periodic_tasks import actions
from postern.kernel import clock

log = logging.getLogger(__name__)

_WRITE_S: Final = 60.0


class RunsNoted:
    """Some tasks run every few seconds; a write for each would cost more than they do."""

    def __init__(self, now: Callable[[], float] = clock.monotonic_s) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._runs: dict[str, tuple[int, datetime]] = {}
        self._written_at = now() - _WRITE_S

    def note(self, task: str) -> None:
        """A run begins. Writes what was counted if that is a minute ago."""
        with self._lock:
            self._runs[task] = (self._runs.get(task, (0, None))[0] + 1, clock.now())
            if self._now() - self._written_at < _WRITE_S:
                return
            self._written_at = self._now()
        self.write()

    def write(self) -> None:
        """Write what was counted. Without a database it is written later."""
        with self._lock:
            runs, self._runs = self._runs, {}
        try:
            if runs:
                actions.note_runs(runs)
        except Error:
            log.warning("the runs of periodic tasks could not be written", exc_info=True)
            with self._lock:
                for task, (number, last) in runs.items():
                    later, when = self._runs.get(task, (0, last))
                    self._runs[task] = (number + later, when)
        finally:
            if not connection.in_atomic_block:
                connection.close_if_unusable_or_obsolete()
