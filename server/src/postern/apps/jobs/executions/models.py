"""Tables of executions and of what happened on each host."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.host_tasks.models import HostTask, TaskVersion
from postern.foundation.models import SavedRow, ScopedManager


class HostState(models.TextChoices):
    WAITING = "waiting", _("Waiting")
    #: The account's secret was given to the runner: from here on, something may have happened on the host.
    STARTED = "started", _("Running")
    ENDED = "ended", _("Ended")


class HostResult(models.TextChoices):
    """How the work on one host ended. Most are results of the runner (`contracts.runner.HostResult`)."""

    DONE = "done", _("Done")
    #: The script ended with a status other than 0, or what it said makes no sense.
    FAILED = "failed", _("Failed")
    UNREACHABLE = "unreachable", _("Unreachable")
    HOST_KEY_REFUSED = "host_key_refused", _("Host key refused")
    CREDENTIAL_REFUSED = "credential_refused", _("Credential refused")
    NO_SHELL = "no_shell", _("No shell")
    ROOT_REFUSED = "root_refused", _("May not become root")
    TIME_LIMIT = "time_limit", _("Took too long")
    OUTPUT_LIMIT = "output_limit", _("Showed too much")
    STOPPED = "stopped", _("Stopped")
    #: Nothing was sent to the host: the job ended before its turn, or it was not permitted any more.
    NOT_STARTED = "not_started", _("Not started")
    REFUSED = "refused", _("Refused")
    #: It was started, and the connection or the worker was lost.
    UNKNOWN = "unknown", _("Unknown")
    FAULT = "fault", _("Error in Postern")


class Execution(SavedRow):
    """A job about hosts."""

    job = models.OneToOneField(Job, models.CASCADE, primary_key=True, related_name="execution")
    org_id = models.UUIDField(_("Organization"), editable=False)
    task = models.ForeignKey(HostTask, models.CASCADE, null=True, related_name="executions", verbose_name=_("Task"))
    version = models.ForeignKey(TaskVersion, models.CASCADE, null=True, related_name="executions")
    task_display = models.CharField(_("Task"), max_length=128, blank=True, default="")
    hosts_amount = models.PositiveIntegerField(_("Host amount"), default=0)

    objects = ScopedManager()

    class Meta:
        verbose_name = _("Execution")

    def __str__(self) -> str:
        return str(self.pk)[:8]


class HostOutcome(SavedRow):
    """One host of an execution. Names and addresses are those of the time of the request."""

    id = models.BigAutoField(primary_key=True)
    execution = models.ForeignKey(Execution, models.CASCADE, related_name="hosts")
    position = models.PositiveIntegerField()
    asset_id = models.UUIDField(db_index=True)
    #: The account that the work is about, if it is about one.
    system_user_id = models.UUIDField(null=True)
    username = models.CharField(max_length=128, blank=True, default="")
    hostname = models.CharField(max_length=128)
    ip = models.CharField(max_length=128)
    state = models.CharField(max_length=8, choices=HostState.choices, default=HostState.WAITING)
    result = models.CharField(max_length=24, choices=HostResult.choices, blank=True, default="")
    #: Exit status of the script, if it ended by itself.
    status = models.IntegerField(null=True)
    #: Why it failed, for people, in the language of the job.
    message = models.CharField(max_length=1024, blank=True, default="")
    #: Names of the gateways on the way.
    via = models.CharField(max_length=512, blank=True, default="")
    seconds = models.FloatField(null=True)
    #: What else the kind of job says about the host.
    facts = models.JSONField(default=dict)

    class Meta:
        ordering = ("position",)
        constraints = [
            models.UniqueConstraint(fields=("execution", "position"), name="jobs_hostoutcome_unique"),
        ]
        indexes = [models.Index(fields=("execution", "state", "result"), name="jobs_hostoutcome_by_result")]

    def __str__(self) -> str:
        return f"{self.execution_id} {self.hostname}: {self.result or self.state}"
