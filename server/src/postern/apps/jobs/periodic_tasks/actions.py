"""Writes of periodic tasks: switching them, and what a worker notes about them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce, Greatest
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.jobs.periodic_tasks import purposes
from postern.apps.jobs.periodic_tasks.models import PeriodicTask
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel.errors import PosternError
from postern.kernel.ids import ROOT_ORG_ID


class TaskRequired(PosternError):
    """The task cannot be switched off; the response is a field error."""

    code = "task_required"

    @property
    def fields(self) -> dict[str, list[str]]:
        return {"enabled": [self.message]}


@write_transaction()
def switch(*, actor: Actor, task_id: UUID, enabled: bool) -> PeriodicTask:
    """Switch a task on or off, from its next run on. Raises TaskRequired, PeriodicTask.DoesNotExist."""
    row: PeriodicTask = PeriodicTask.objects.select_for_update().get(pk=task_id)
    if row.enabled == enabled:
        return row
    why = purposes.why_required(row.task)
    if not enabled and why:
        raise TaskRequired(_("This task cannot be switched off. %(reason)s") % {"reason": why})
    row.enabled = enabled
    row.save(update_fields=["enabled"])
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.PERIODICTASK_UPDATED,
        action="update",
        object_type="PeriodicTask",
        object_id=str(row.pk),
        object_name=row.name,
        old={"enabled": not enabled},
        new={"enabled": enabled},
    )
    return row


@write_transaction()
def adopt(schedule: Mapping[str, Mapping[str, Any]]) -> None:
    """Take over the schedule of this release. Tasks that it does not have any more are forgotten."""
    PeriodicTask.objects.exclude(name__in=list(schedule)).delete()
    PeriodicTask.objects.bulk_create(
        [
            PeriodicTask(name=name, task=entry["task"], interval_s=float(entry["schedule"]))
            for name, entry in schedule.items()
        ],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["task", "interval_s"],
    )


@write_transaction()
def note_runs(runs: Mapping[str, tuple[int, datetime]]) -> None:
    """Add runs: task → their number, and when the last one began."""
    for task, (number, last) in sorted(runs.items()):
        PeriodicTask.objects.filter(task=task).update(
            total_run_count=F("total_run_count") + number,
            last_run_at=Greatest(Coalesce(F("last_run_at"), Value(last)), Value(last)),
        )


def is_off(task: str) -> bool:
    """Whether the task was switched off. One that became required since runs again."""
    return task in purposes.OPTIONAL and PeriodicTask.objects.filter(Q(task=task) & Q(enabled=False)).exists()
