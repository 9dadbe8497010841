"""Deletion of tasks and versions that nobody needs any more, because their executions were deleted for their age."""

from typing import Any, Final

from django.db.models import Exists, Model, OuterRef, QuerySet
from django.db.models.functions import Now

from postern.apps.jobs.engine.housekeeping import KEPT
from postern.apps.jobs.executions.models import Execution
from postern.apps.jobs.host_tasks.models import HostTask, TaskVersion

_BATCH: Final = 500


def forget_unused() -> int:
    """Delete versions without executions, and tasks that were made by a request for work and ran long ago. Tasks that a
    person made or scheduled stay.
    """
    versions = TaskVersion.objects.filter(
        ~Exists(Execution.objects.filter(version=OuterRef("pk"))), date_created__lt=Now() - KEPT
    )
    unused = HostTask.objects.filter(
        ~Exists(Execution.objects.filter(task=OuterRef("pk"))),
        work_key__isnull=False,
        is_periodic=False,
        date_updated__lt=Now() - KEPT,
    )
    return _delete(TaskVersion, versions) + _delete(HostTask, unused)


def _delete(model: type[Model], rows: "QuerySet[Any]") -> int:
    forgotten = 0
    while True:
        keys = list(rows.values_list("pk", flat=True)[:_BATCH])
        forgotten += model._default_manager.filter(pk__in=keys).delete()[0]  # noqa: SLF001 - the documented model API
        if len(keys) < _BATCH:
            return forgotten
