"""Tables of executions and of what happened on each host."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.host_tasks.models import HostTask, TaskVersion
from postern.foundation.models import SavedRow, ScopedManager
from postern.foundation.phrases import MAX_TEXT, why


class HostState(models.TextChoices):
    WAITING = "waiting", _("Waiting")
    #: The account's secret was given to the runner: from here on, something may have happened on the host.
    STARTED = "started", _("Running")
    ENDED = "ended", _("Ended")


class HostResult(models.TextChoices):
    """How the work on one host ended. Most are results of the runner (`contracts.runner.HostResult`)."""

    DONE = "done", _("Done")
    #: The script ended with a status other than 0, or its output is invalid.
    FAILED = "failed", _("Failed")
    UNREACHABLE = "unreachable", _("Unreachable")
    HOST_KEY_REFUSED = "host_key_refused", _("Host key refused")
    CREDENTIAL_REFUSED = "credential_refused", _("Credential refused")
    NO_SHELL = "no_shell", _("No shell")
    ROOT_REFUSED = "root_refused", _("May not become root")
    NO_WINRM = "no_winrm", _("WinRM is not enabled")
    NOT_WINDOWS = "not_windows", _("Not a Windows host")
    NO_POWERSHELL = "no_powershell", _("No PowerShell")
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
    #: An execution is a record of what was done. It stays when its task is deleted.
    task = models.ForeignKey(HostTask, models.SET_NULL, null=True, related_name="executions", verbose_name=_("Task"))
    version = models.ForeignKey(TaskVersion, models.SET_NULL, null=True, related_name="executions")
    task_display = models.CharField(_("Task"), max_length=128, blank=True, default="")
    hosts_amount = models.PositiveIntegerField(_("Hosts"), default=0)
    #: Whether the job center lists it. Batch commands have lists of their own.
    is_listed = models.BooleanField(default=True, editable=False)
    date_created = models.DateTimeField(_("Date created"), db_default=Now())

    objects = ScopedManager()

    class Meta:
        ordering = ("-date_created", "job_id")
        verbose_name = _("Execution")
        verbose_name_plural = _("Executions")
        indexes = [
            models.Index(fields=("org_id", "-date_created", "job"), name="jobs_execution_order"),
            models.Index(fields=("task", "-date_created", "job"), name="jobs_execution_by_task"),
            models.Index(fields=("version", "-date_created", "job"), name="jobs_execution_by_version"),
        ]

    def __str__(self) -> str:
        return str(self.pk)[:8]


class HostOutcome(SavedRow):
    """One host of an execution. Names and addresses are those of the time of the request."""

    id = models.BigAutoField(primary_key=True)
    execution = models.ForeignKey(Execution, models.CASCADE, related_name="hosts")
    position = models.PositiveIntegerField()
    asset_id = models.UUIDField(db_index=True)
    #: The account that the work concerns, if any.
    system_user_id = models.UUIDField(null=True)
    username = models.CharField(_("Username"), max_length=128, blank=True, default="")
    hostname = models.CharField(_("Hostname"), max_length=128)
    ip = models.CharField(_("IP"), max_length=128)
    state = models.CharField(_("State"), max_length=8, choices=HostState.choices, default=HostState.WAITING)
    result = models.CharField(_("Result"), max_length=24, choices=HostResult.choices, blank=True, default="")
    #: Exit status of the script, if it ended by itself.
    status = models.IntegerField(_("Exit status"), null=True)
    #: Why it failed: a sentence by its code and values (`foundation/phrases.py`). None for nothing to say, and in rows
    #: of versions that stored only `message`.
    reason = models.JSONField(null=True, editable=False)
    #: The sentence in every language, for searches.
    message = models.CharField(_("Reason"), max_length=2 * MAX_TEXT + 1, blank=True, default="")
    #: Names of the gateways on the way.
    via = models.CharField(_("Gateways"), max_length=512, blank=True, default="")
    seconds = models.FloatField(_("Seconds"), null=True)
    #: What else the kind of job says about the host.
    facts = models.JSONField(default=dict)

    class Meta:
        ordering = ("position",)
        verbose_name = _("Result of a host")
        verbose_name_plural = _("Results of hosts")
        constraints = [
            models.UniqueConstraint(fields=("execution", "position"), name="jobs_hostoutcome_unique"),
        ]
        indexes = [models.Index(fields=("execution", "state", "result"), name="jobs_hostoutcome_by_result")]

    @property
    def why(self) -> str:
        """Why it failed, in the active language."""
        return why(self.reason, self.message)

    def __str__(self) -> str:
        return f"{self.execution_id} {self.hostname}: {self.result or self.state}"
