"""Writes of tasks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db import transaction

from postern.apps.audits.recorded import RecordedRows
from postern.apps.jobs.engine.kinds import JobKind
from postern.apps.jobs.host_tasks.models import HostTask
from postern.apps.vault.models import SystemUser
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks
from postern.kernel import clock

_SCHEDULE: Final = ("interval", "crontab", "is_periodic")


class _TaskWrites(RecordedRows[HostTask]):
    """Writes of tasks. A change of the schedule sets the next run."""

    def hold(self, rows: Sequence[HostTask], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        """The system users that a new task names stay, and so do those of a task that begins to run by itself."""
        super().hold(rows, values, deleting=deleting)
        if deleting:
            return
        new = {key for item in values for key in _system_users(item.get("argument"))}
        row_locks.share(SystemUser, {key for row in rows for key in _system_users(row.argument)}, required=new)

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

    It has no `work_key`: requests for the same work that do not name the task are runs of another task.
    """
    return {"kind": kind.name, "argument": msgspec.to_builtins(argument), "subject": subject[:255]}


def _system_users(argument: Any) -> Iterator[UUID]:
    return (UUID(key) for key in (argument or {}).get("system_users") or ())


def _set_next_run(row: HostTask) -> None:
    row.date_due = row.run_after(clock.now()) if row.is_periodic else None
    HostTask.objects.filter(pk=row.pk).update(date_due=row.date_due)
