"""Writes of periodic tasks: switching them, and what a worker notes about them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import F, Q
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.jobs.periodic_tasks import purposes
from postern.apps.jobs.periodic_tasks.models import Outcome, PeriodicTask
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel.errors import PosternError
from postern.kernel.ids import ROOT_ORG_ID

_MAX_ERROR: Final = 128


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


@dataclass(frozen=True)
class Runs:
    """Runs of one task that are not written yet: their number, and when the last one began and how it ended."""

    number: int
    began: datetime
    #: Kind of the error; "" if it succeeded.
    error: str

    def joined(self, other: "Runs | None") -> "Runs":
        """Both together."""
        if other is None:
            return self
        later = self if self.began >= other.began else other
        return replace(later, number=self.number + other.number)


@write_transaction()
def note_runs(runs: Mapping[str, Runs]) -> None:
    """Add runs of tasks by name. The outcome is that of the run that began last, also of another worker."""
    for task, noted in sorted(runs.items()):
        rows = PeriodicTask.objects.filter(task=task)
        rows.update(total_run_count=F("total_run_count") + noted.number)
        rows.filter(Q(last_run_at=None) | Q(last_run_at__lte=noted.began)).update(
            last_run_at=noted.began,
            last_outcome=Outcome.FAILED if noted.error else Outcome.SUCCEEDED,
            last_error=noted.error[:_MAX_ERROR],
        )


def is_off(task: str) -> bool:
    """Whether the task was switched off. A task that has become required since then runs again."""
    return task in purposes.OPTIONAL and PeriodicTask.objects.filter(Q(task=task) & Q(enabled=False)).exists()
