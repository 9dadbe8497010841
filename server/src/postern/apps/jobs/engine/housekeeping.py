"""Deletion of old jobs and their logs."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final

from django.db.models import QuerySet
from django.db.models.functions import Now

from postern.apps.jobs.engine.kinds import KINDS
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.logs import files
from postern.foundation.database.write_transaction import write_transaction

#: How long finished jobs are retained.
KEPT: Final = timedelta(days=90)
_BATCH: Final = 500


def forget_old(home: Path) -> int:
    """Delete jobs that ended long ago, each kind after its own time. Returns the number of deleted rows."""
    own = [kind for kind in KINDS.value if kind.kept is not None]
    others = Job.objects.exclude(kind__in=[kind.name for kind in own])
    forgotten = _forget(home, others, KEPT)
    for kind in own:
        forgotten += _forget(home, Job.objects.filter(kind=kind.name), kind.kept(), kind.forgetting)
    return forgotten


def _forget(
    home: Path,
    jobs: "QuerySet[Job]",
    kept: timedelta,
    forgetting: Callable[[Sequence[Job]], None] | None = None,
) -> int:
    """The log file goes first: a row without a log can still be deleted later."""
    forgotten = 0
    while True:
        old = list(jobs.filter(date_finished__lt=Now() - kept).order_by("date_finished")[:_BATCH])
        for job in old:
            files.delete(home, job.pk)
        with write_transaction():
            if forgetting is not None and old:
                forgetting(old)
            forgotten += Job.objects.filter(pk__in=[job.pk for job in old]).delete()[0]
        if len(old) < _BATCH:
            return forgotten
