"""Periodic work of jobs."""

from typing import Final

from celery import shared_task
from django.conf import settings

from postern.apps.jobs.engine import housekeeping
from postern.apps.jobs.executions import old_records
from postern.apps.jobs.job_center.due import run_due
from postern.foundation.parts.schedule import every

_HOUR_S: Final = 3600.0
#: A crontab names minutes.
_DUE_S: Final = 20.0


@shared_task(name="postern.jobs.forget_old")  # type: ignore[untyped-decorator]  # celery has no types
def forget_old() -> int:
    """Delete jobs that ended long ago, and what only they needed."""
    return housekeeping.forget_old(settings.POSTERN.home) + old_records.forget_unused()


@shared_task(name="postern.jobs.run_due")  # type: ignore[untyped-decorator]  # celery has no types
def run_tasks_that_are_due() -> int:
    """Start the tasks that are due."""
    return run_due()


BEAT: Final = {
    "jobs: forget old": every(forget_old, _HOUR_S),
    "jobs: run due tasks": every(run_tasks_that_are_due, _DUE_S),
}
