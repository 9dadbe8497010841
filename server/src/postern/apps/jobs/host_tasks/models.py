"""Tables of tasks and of their versions."""

from datetime import datetime
from typing import Final

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from postern.apps.jobs.host_tasks.schedule import MAX_CRONTAB, MAX_INTERVAL_H, next_run, require_crontab
from postern.foundation.models import OrgOwnedModel, PosternModel, ScopedManager

_RUNS_SHOWN: Final = 3


class HostTask(OrgOwnedModel):
    """Work on hosts that was requested at least once, and can be run again or by a schedule (contract: Task).

    A request of the same kind with the same argument is a run of the same task.
    """

    name = models.CharField(_("Name"), max_length=128)
    #: A `JobKind` and its argument; "" for a task that was created without work.
    kind = models.CharField(_("Work"), max_length=64, blank=True, default="", editable=False)
    argument = models.JSONField(_("Argument"), default=dict, editable=False)
    #: Hash of kind and argument.
    work_key = models.CharField(max_length=64, null=True, editable=False)
    subject = models.CharField(_("Object"), max_length=255, blank=True, default="", editable=False)
    interval = models.PositiveIntegerField(
        _("Cycle perform"),
        null=True,
        blank=True,
        default=24,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_INTERVAL_H)],
        help_text=_("Hours between two runs. If both are set, the regular execution is used."),
    )
    crontab = models.CharField(
        _("Regularly perform"),
        max_length=MAX_CRONTAB,
        null=True,
        blank=True,
        validators=[require_crontab],
        help_text=_("Minute, hour, day, month and weekday, for example: 30 3 * * 1-5"),
    )
    is_periodic = models.BooleanField(_("Periodic perform"), default=False)
    #: The next run of a periodic task.
    date_due = models.DateTimeField(_("Next run"), null=True, editable=False)
    #: The newest execution, which may have been deleted since because of its age.
    latest = models.UUIDField(null=True, editable=False)
    #: Executions since the task was created, and how those that have ended ended.
    runs_total = models.PositiveIntegerField(default=0, editable=False)
    runs_success = models.PositiveIntegerField(default=0, editable=False)
    runs_failed = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ("-date_updated", "id")
        verbose_name = _("Task")
        verbose_name_plural = _("Tasks")
        constraints = [
            models.UniqueConstraint(fields=("name", "org_id"), name="jobs_hosttask_unique"),
            models.UniqueConstraint(fields=("org_id", "work_key"), name="jobs_hosttask_by_work"),
        ]
        indexes = [
            models.Index(fields=("org_id", "-date_updated", "id"), name="jobs_hosttask_order"),
            models.Index(fields=("date_due",), condition=models.Q(is_periodic=True), name="jobs_hosttask_due"),
        ]

    objects = ScopedManager()

    def __str__(self) -> str:
        return self.name

    def run_after(self, instant: datetime) -> datetime | None:
        """The first run of its schedule after an instant, in the time zone of the installation."""
        zone = timezone.get_default_timezone()
        return next_run(crontab=self.crontab, interval=self.interval, after=instant, zone=zone)

    @property
    def next_runs(self) -> list[datetime]:
        """The next three runs; none of a task that is not periodic."""
        runs: list[datetime] = []
        following = self.date_due if self.is_periodic else None
        while following is not None and len(runs) < _RUNS_SHOWN:
            runs.append(following)
            following = self.run_after(following)
        return runs


class TaskVersion(PosternModel):
    """What a task does and on which hosts, as it was for one or more executions (contract: AdHoc).

    The hosts are those of its executions.
    """

    org_id = models.UUIDField(_("Organization"), editable=False)
    task = models.ForeignKey(HostTask, models.CASCADE, related_name="versions", verbose_name=_("Task"))
    #: Hash of the hosts and of what follows.
    digest = models.CharField(max_length=64, editable=False)
    #: `[{"name": …, "action": {"module": …, "args": …}}]`: what is done, for people. Never secrets.
    steps = models.JSONField(default=list)
    #: The account on the hosts; "" if it differs.
    run_as = models.CharField(_("Username"), max_length=64, blank=True, default="")
    run_as_admin = models.BooleanField(_("As administrator"), default=False)
    hosts_amount = models.PositiveIntegerField(_("Hosts"), default=0)
    #: Its newest execution, which may have been deleted since because of its age.
    latest = models.UUIDField(null=True, editable=False)
    created_by = models.CharField(_("Created by"), max_length=128, blank=True, default="")
    date_created = models.DateTimeField(_("Date created"), auto_now_add=True)

    objects = ScopedManager()

    class Meta:
        ordering = ("-date_created", "id")
        verbose_name = _("Version of a task")
        constraints = [models.UniqueConstraint(fields=("task", "digest"), name="jobs_taskversion_unique")]
        indexes = [
            models.Index(fields=("org_id", "-date_created", "id"), name="jobs_taskversion_order"),
            models.Index(fields=("task", "-date_created", "id"), name="jobs_taskversion_of_task"),
        ]

    def __str__(self) -> str:
        return str(self.pk)[:8]
