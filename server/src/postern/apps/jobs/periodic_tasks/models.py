"""Table of the periodic tasks of Postern itself."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import SavedRow, ScopedManager
from postern.kernel.ids import new_id


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
    total_run_count = models.PositiveBigIntegerField(_("Runs"), default=0)

    objects = ScopedManager()

    class Meta:
        ordering = ("name",)
        verbose_name = _("Periodic task")
        verbose_name_plural = _("Periodic tasks")

    def __str__(self) -> str:
        return self.name
