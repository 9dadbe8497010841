"""Deletion of old jobs and their logs."""

from datetime import timedelta
from pathlib import Path
from typing import Final

from django.db.models.functions import Now

from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.logs import files

#: How long finished jobs are kept.
KEPT: Final = timedelta(days=90)
_BATCH: Final = 500


def forget_old(home: Path) -> int:
    """Delete jobs that ended long ago. The log file goes first: a row without a log can still be deleted later."""
    forgotten = 0
    while True:
        old = list(Job.objects.filter(date_finished__lt=Now() - KEPT).values_list("pk", flat=True)[:_BATCH])
        for job_id in old:
            files.delete(home, job_id)
        forgotten += Job.objects.filter(pk__in=old).delete()[0]
        if len(old) < _BATCH:
            return forgotten
