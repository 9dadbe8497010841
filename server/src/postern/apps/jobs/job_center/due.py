"""Running the tasks that are due."""

import logging
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import DatabaseError

from postern.apps.audits import facade as audits
from postern.apps.jobs.host_tasks.models import HostTask
from postern.apps.jobs.job_center.starting import run_task
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel import clock
from postern.kernel.errors import PosternError

_log = logging.getLogger(__name__)
#: Tasks that one call starts at most; the next call goes on.
_AT_ONCE: Final = 100


def run_due() -> int:
    """Start the tasks that are due, each once, whoever else calls this. Returns how many were started.

    Runs that were missed are made up for by one run.
    """
    now = clock.now()
    due = HostTask.objects.filter(is_periodic=True, date_due__lte=now).order_by("date_due", "id")
    started = 0
    for task_id in list(due.values_list("pk", flat=True)[:_AT_ONCE]):
        try:
            started += _run(task_id, now)
        except Exception as error:  # noqa: BLE001 - the other tasks must run
            _log.exception("task %s is due, but could not be started", task_id)
            _skip(task_id, now, type(error).__name__)
    return started


def _skip(task_id: UUID, now: datetime, why: str) -> None:
    """Set the next run of a task that fails in our own code: a hundred such tasks would keep all others waiting."""
    try:
        with write_transaction():
            task = HostTask.objects.select_for_update().filter(pk=task_id, is_periodic=True, date_due__lte=now).first()
            if task is not None:
                HostTask.objects.filter(pk=task_id).update(date_due=_following(task, now))
                _record(task, why)
    except DatabaseError:  # tried again with the next call
        _log.warning("the next run of task %s could not be set", task_id, exc_info=True)


@write_transaction()
def _run(task_id: UUID, now: datetime) -> bool:
    """Start one task and set its next run, both or neither. False if somebody else did, or it cannot run."""
    task = HostTask.objects.select_for_update().filter(pk=task_id, is_periodic=True, date_due__lte=now).first()
    if task is None:
        return False
    HostTask.objects.filter(pk=task_id).update(date_due=_following(task, now))
    try:
        run_task(actor=SYSTEM, task_id=task_id)
    except PosternError as error:
        _record(task, error.message)
        return False
    return True


def _record(task: HostTask, why: str) -> None:
    audits.record(
        actor=SYSTEM,
        org_id=task.org_id,
        event=audits.Event.HOSTTASK_NOT_RUN,
        object_type="HostTask",
        object_id=str(task.pk),
        object_name=task.name,
        new={"reason": why},
    )


def _following(task: HostTask, now: datetime) -> datetime | None:
    """The first run after now. Intervals are counted from the instant that was due, so that they do not drift."""
    following = task.run_after(task.date_due or now)
    return following if following is None or following > now else task.run_after(now)
