"""The schedule of periodic tasks: Celery's, except for frequent tasks, which this process begins and runs itself.

A message through the broker, and Celery's reckoning of what is due, cost this process more CPU time than most of these
tasks need, and there would be 160 of them in each minute of an idle installation.
"""

import heapq
from collections.abc import Callable, Mapping
from typing import Any, Final

from celery.beat import PersistentScheduler

from postern.kernel import clock

#: Seconds between the runs of a task, up to which this process runs it. Rarer ones go to any worker.
FREQUENT_S: Final = 10.0
#: Shows that a message reaches a worker, so it must be one.
STAMP_WORKER: Final = "postern.foundation.stamp_worker"


def _is_frequent(entry: Mapping[str, Any]) -> bool:
    every = entry["schedule"]
    return isinstance(every, float) and every <= FREQUENT_S and entry["task"] != STAMP_WORKER


class Scheduler(PersistentScheduler):  # type: ignore[misc]  # celery has no types
    """Celery's schedule; `run` gets the name of each frequent task that is due, and must return at once."""

    def __init__(self, *arguments: Any, run: Callable[[str], None], **options: Any) -> None:
        self._run = run
        #: When each frequent task is due next, its name, and the seconds between its runs; the next one first.
        self._frequent: list[tuple[float, str, float]] = []
        #: When Celery wants to look at the others again.
        self._others_at = 0.0
        super().__init__(*arguments, **options)

    def merge_inplace(self, schedule: Mapping[str, Mapping[str, Any]]) -> None:
        """Take over the configured schedule."""
        now = clock.monotonic_s()
        self._frequent = [(now, entry["task"], entry["schedule"]) for entry in schedule.values() if _is_frequent(entry)]
        heapq.heapify(self._frequent)
        super().merge_inplace({name: entry for name, entry in schedule.items() if not _is_frequent(entry)})

    def tick(self, *arguments: Any, **options: Any) -> float:
        """Begin what is due. Returns the seconds until the next call."""
        now = clock.monotonic_s()
        while self._frequent and self._frequent[0][0] <= now:
            _, task, every_s = self._frequent[0]
            heapq.heapreplace(self._frequent, (now + every_s, task, every_s))
            self._run(task)
        if now >= self._others_at:
            self._others_at = now + super().tick(*arguments, **options)
        next_at = min([self._others_at, *(due_at for due_at, *_ in self._frequent[:1])])
        return max(next_at - clock.monotonic_s(), 0.0)
