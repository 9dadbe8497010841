"""The table of jobs."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import PosternModel, ScopedManager


class JobState(models.TextChoices):
    WAITING = "waiting", _("Waiting")
    RUNNING = "running", _("Running")
    SUCCEEDED = "succeeded", _("Succeeded")
    FAILED = "failed", _("Failed")
    CANCELLED = "cancelled", _("Cancelled")
    #: The worker was lost while it ran, and it is not known what it has done.
    INTERRUPTED = "interrupted", _("Interrupted")


OPEN_STATES = (JobState.WAITING, JobState.RUNNING)


class Job(PosternModel):
    """Accepted work. The row is the truth: messages are only hints that there is something to do.

    `token` counts the claims of the row. A worker that has claimed it writes only while the token is still its own (a
    *fence*): a worker that was believed dead and comes back changes nothing. Leases are compared with the clock of the
    database, because the clocks of several machines differ.
    """

    org_id = models.UUIDField(_("Organization"), editable=False)
    kind = models.CharField(_("Kind"), max_length=64)
    #: The object that the job is about, as its name was when the job was accepted; "" if the kind says enough.
    subject = models.CharField(_("Object"), max_length=255, blank=True, default="")
    #: Ids and numbers only, never secrets.
    argument = models.JSONField()
    #: Set while the job is open, if its kind lets equal requests join it: the hash of the argument.
    open_key = models.CharField(max_length=64, null=True)
    language = models.CharField(max_length=16, default="en")
    created_by_id = models.UUIDField(null=True)
    created_by = models.CharField(_("Created by"), max_length=128, blank=True, default="")
    date_created = models.DateTimeField(_("Date created"), db_default=Now())
    date_due = models.DateTimeField(db_default=Now())

    state = models.CharField(_("State"), max_length=16, choices=JobState.choices, default=JobState.WAITING)
    token = models.PositiveBigIntegerField(default=0)
    holder = models.CharField(max_length=128, blank=True, default="")
    lease_until = models.DateTimeField(null=True)
    #: How often a worker was lost while it ran the job.
    losses = models.PositiveSmallIntegerField(default=0)
    date_cancel_requested = models.DateTimeField(null=True)
    date_start = models.DateTimeField(_("Start time"), null=True)
    date_finished = models.DateTimeField(_("End time"), null=True)

    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    #: Code of the outcome, and the values of its sentence (see `kinds.Outcome`).
    outcome = models.CharField(max_length=64, blank=True, default="")
    outcome_values = models.JSONField(default=dict)

    objects = ScopedManager()

    class Meta:
        ordering = ("-date_created", "id")
        verbose_name = _("Job")
        verbose_name_plural = _("Jobs")
        constraints = [
            models.UniqueConstraint(fields=("org_id", "kind", "open_key"), name="jobs_job_one_open"),
        ]
        indexes = [
            models.Index(fields=("org_id", "-date_created", "id"), name="jobs_job_order"),
            models.Index(
                fields=("kind", "date_due", "id"), condition=models.Q(state="waiting"), name="jobs_job_waiting"
            ),
            models.Index(fields=("kind", "org_id"), condition=models.Q(state="running"), name="jobs_job_running"),
            models.Index(
                fields=("date_finished",), condition=models.Q(date_finished__isnull=False), name="jobs_job_finished"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def is_open(self) -> bool:
        """Whether the job has not reached its final state."""
        return self.state in OPEN_STATES
