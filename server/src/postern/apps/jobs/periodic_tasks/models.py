"""Table of the periodic tasks of Postern itself."""

import math
from datetime import datetime, timedelta
from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import SavedRow, ScopedManager
from postern.kernel import clock
from postern.kernel.ids import new_id

#: Runs are written once a minute, so the last known run may be this much older than the interval.
_NOTED_LATE_S: Final = 150.0


class Outcome(models.TextChoices):
    """How a run ended."""

    SUCCEEDED = "succeeded", _("Succeeded")
    FAILED = "failed", _("Failed")


class PeriodicTask(SavedRow):
    """A task of Celery's schedule. A row is added when a worker first has the task in its schedule."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    #: Name in the schedule.
    name = models.CharField(_("Name"), max_length=200, unique=True)
    #: Name of the task that it runs.
    task = models.CharField(_("Celery task"), max_length=200)
    interval_s = models.FloatField(_("Interval"), default=0.0)
    enabled = models.BooleanField(_("Enabled"), default=True)
    last_run_at = models.DateTimeField(_("Last run"), null=True)
    #: How the last run ended; "" before the first run.
    last_outcome = models.CharField(_("Outcome"), max_length=16, choices=Outcome, blank=True, default="")
    #: The kind of the error that ended the last run. Its message may hold secrets and is in the worker's log only.
    last_error = models.CharField(_("Kind of error"), max_length=128, blank=True, default="")
    total_run_count = models.PositiveBigIntegerField(_("Runs"), default=0)

    objects = ScopedManager()

    class Meta:
        ordering = ("name",)
        verbose_name = _("Periodic task")
        verbose_name_plural = _("Periodic tasks")

    def __str__(self) -> str:
        return self.name

    @property
    def next_run_at(self) -> datetime | None:
        """When the schedule starts it next; None while it is off, before its first run, and if a run is overdue."""
        if not self.enabled or self.last_run_at is None or self.interval_s <= 0:
            return None
        passed = (clock.now() - self.last_run_at).total_seconds()
        if passed > self.interval_s + _NOTED_LATE_S:
            return None
        intervals = max(1, math.ceil(passed / self.interval_s))
        return self.last_run_at + timedelta(seconds=intervals * self.interval_s)
