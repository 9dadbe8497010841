"""The schedule of periodic tasks: Celery's, except that this process runs frequent tasks itself.

A message through the broker costs this process more CPU time than most of these tasks need, and there would be 160 of
them in each minute of an idle installation.
"""

from collections.abc import Callable
from typing import Any, Final

from celery import Celery
from celery.beat import PersistentScheduler, ScheduleEntry

#: Seconds between the runs of a task, up to which this process runs it. Rarer ones go to any worker.
FREQUENT_S: Final = 10.0
#: Shows that a message reaches a worker, so it must be one.
STAMP_WORKER: Final = "postern.foundation.stamp_worker"


def run_here(app: Celery) -> frozenset[str]:
    """Names of the tasks that the process with the schedule runs itself."""
    return frozenset(
        entry["task"]
        for entry in app.conf.beat_schedule.values()
        if isinstance(entry["schedule"], float) and entry["schedule"] <= FREQUENT_S and entry["task"] != STAMP_WORKER
    )


class Scheduler(PersistentScheduler):  # type: ignore[misc]  # celery has no types
    """Celery's schedule; `run` gets the name of each frequent task that is due, and must return at once."""

    def __init__(self, *arguments: Any, run: Callable[[str], None], **options: Any) -> None:
        self._run = run
        super().__init__(*arguments, **options)
        self._here = run_here(self.app)

    def apply_async(
        self, entry: ScheduleEntry, producer: Any = None, advance: bool = True, **options: Any
    ) -> Any:  # the signature is Celery's
        """Begin the task of an entry that is due."""
        if entry.task not in self._here:
            return super().apply_async(entry, producer=producer, advance=advance, **options)
        if advance:
            self.reserve(entry)
        self._run(entry.task)
        return None

    def schedules_equal(self, old_schedules: object, _new_schedules: object) -> bool:
        """The entries do not change while the process runs; Celery would compare all of them at each tick."""
        return old_schedules is not None
