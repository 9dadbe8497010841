"""Tables of tasks and of their versions."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import OrgOwnedModel, PosternModel, ScopedManager


class HostTask(OrgOwnedModel):
    """Work on hosts that was requested at least once, and can be run again or by a schedule (contract: Task).

    A request of the same kind with the same argument is a run of the same task.
    """

    name = models.CharField(_("Name"), max_length=128)
    #: A `JobKind` and its argument; "" for a task that was created without work.
    kind = models.CharField(max_length=64, blank=True, default="", editable=False)
    argument = models.JSONField(default=dict, editable=False)
    #: Hash of kind and argument.
    work_key = models.CharField(max_length=64, null=True, editable=False)
    subject = models.CharField(max_length=255, blank=True, default="", editable=False)

    class Meta:
        ordering = ("-date_updated", "id")
        verbose_name = _("Task")
        constraints = [
            models.UniqueConstraint(fields=("name", "org_id"), name="jobs_hosttask_unique"),
            models.UniqueConstraint(fields=("org_id", "work_key"), name="jobs_hosttask_by_work"),
        ]

    objects = ScopedManager()

    def __str__(self) -> str:
        return self.name


class TaskVersion(PosternModel):
    """What a task does and on which hosts, as it was for one or more executions (contract: AdHoc).

    The hosts are those of its executions.
    """

    task = models.ForeignKey(HostTask, models.CASCADE, related_name="versions", verbose_name=_("Task"))
    #: Hash of the hosts and of what follows.
    digest = models.CharField(max_length=64, editable=False)
    #: `[{"name": …, "action": {"module": …, "args": …}}]`: what is done, for people. Never secrets.
    steps = models.JSONField(default=list)
    #: The account on the hosts; "" if it differs.
    run_as = models.CharField(_("Username"), max_length=64, blank=True, default="")
    run_as_admin = models.BooleanField(default=False)
    hosts_amount = models.PositiveIntegerField(_("Host amount"), default=0)
    created_by = models.CharField(_("Created by"), max_length=128, blank=True, default="")
    date_created = models.DateTimeField(_("Date created"), auto_now_add=True)

    class Meta:
        ordering = ("-date_created", "id")
        verbose_name = _("Version of a task")
        constraints = [models.UniqueConstraint(fields=("task", "digest"), name="jobs_taskversion_unique")]

    def __str__(self) -> str:
        return str(self.pk)[:8]
