"""`RunsNoted`: counts the runs of periodic tasks in a worker, and writes them once a minute."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.db import Error, connection

from postern.apps.jobs.periodic_tasks import actions
from postern.apps.jobs.periodic_tasks.actions import Runs
from postern.kernel import clock

log = logging.getLogger(__name__)

_WRITE_S: Final = 60.0


class RunsNoted:
    """Some tasks run every few seconds; a write for each would cost more than they do."""

    def __init__(self, now: Callable[[], float] = clock.monotonic_s) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._runs: dict[str, Runs] = {}
        self._written_at = now() - _WRITE_S

    def note(self, task: str, began: datetime, error: str = "") -> None:
        """A run has ended; `error` is the kind of the error that ended it. Writes what was counted if that is a minute
        ago.
        """
        with self._lock:
            self._runs[task] = Runs(1, began, error).joined(self._runs.get(task))
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
                for task, unwritten in runs.items():
                    self._runs[task] = unwritten.joined(self._runs.get(task))
        finally:
            if not connection.in_atomic_block:
                connection.close_if_unusable_or_obsolete()
