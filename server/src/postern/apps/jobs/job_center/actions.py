"""Writes of tasks."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db import transaction

from postern.apps.audits.recorded import RecordedRows
from postern.apps.jobs.engine.kinds import JobKind
from postern.apps.jobs.host_tasks.models import HostTask
from postern.foundation.caller.actor import Actor
from postern.kernel import clock

_SCHEDULE: Final = ("interval", "crontab", "is_periodic")


class _TaskWrites(RecordedRows[HostTask]):
    """Writes of tasks. A change of the schedule sets the next run."""

    @transaction.atomic
    def create(self, *, actor: Actor, org_id: UUID, values: Mapping[str, Any]) -> HostTask:
        row = super().create(actor=actor, org_id=org_id, values=values)
        _set_next_run(row)
        return row

    @transaction.atomic
    def update(self, *, actor: Actor, row: HostTask, values: Mapping[str, Any]) -> HostTask:
        before = HostTask.objects.values_list(*_SCHEDULE).get(pk=row.pk)
        changed = super().update(actor=actor, row=row, values=values)
        if before != tuple(getattr(changed, name) for name in _SCHEDULE):
            _set_next_run(changed)
        return changed


TASKS: Final = _TaskWrites(HostTask, gone=("name", "kind", "subject", *_SCHEDULE))


def work(kind: JobKind[Any], argument: msgspec.Struct, subject: str) -> dict[str, Any]:
    """The columns of a task that does this work.

    It has no `work_key`: requests for the same work that do not name the task are runs of another one.
    """
    return {"kind": kind.name, "argument": msgspec.to_builtins(argument), "subject": subject[:255]}


def _set_next_run(row: HostTask) -> None:
    row.date_due = row.run_after(clock.now()) if row.is_periodic else None
    HostTask.objects.filter(pk=row.pk).update(date_due=row.date_due)
