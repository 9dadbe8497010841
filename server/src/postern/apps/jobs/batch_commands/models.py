"""Tables of batch commands and of what they showed on each host."""

from typing import Final, Self

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from postern.apps.jobs.command_snippets.models import MAX_COMMAND
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.executions.models import HostOutcome
from postern.foundation.caller.actor import Actor
from postern.foundation.models import SavedRow, ScopedQuerySet

#: Hosts of one command.
MAX_HOSTS: Final = 5_000


class _Commands(ScopedQuerySet):
    def owned_by(self, actor: Actor) -> Self:
        """Those that the person started in organizations to which they still belong."""
        if actor.user_id is None:
            return self.none()
        rows = self.filter(user_id=actor.user_id)
        return rows if actor.is_super_user else rows.filter(org_id__in=actor.org_ids)


class BatchCommand(SavedRow):
    """A command on many hosts. Names are those of the time of the request. Its hosts are those of its execution."""

    job = models.OneToOneField(Job, models.CASCADE, primary_key=True, related_name="batch_command")
    org_id = models.UUIDField(_("Organization"), editable=False)
    command = models.TextField(_("Command"), max_length=MAX_COMMAND)
    user_id = models.UUIDField(_("User"))
    user_name = models.CharField(_("Name"), max_length=128)
    username = models.CharField(_("Username"), max_length=128)
    #: `Name(username)`.
    user_label = models.CharField(_("User"), max_length=260)
    #: The user's sessions of an earlier epoch have been ended, and so are their commands.
    epoch = models.PositiveIntegerField()
    #: Administrators run commands even if the setting has turned them off for others.
    may_when_off = models.BooleanField(default=False)
    remote_addr = models.CharField(_("Remote address"), max_length=128, blank=True, default="")
    run_as = models.UUIDField(_("System user"))
    run_as_name = models.CharField(_("System user"), max_length=128)
    run_as_username = models.CharField(_("Username on the host"), max_length=128)
    hosts_amount = models.PositiveIntegerField(_("Hosts"))
    #: Hash of the command and of the outcome and output of every host, as the audit log has it; "" while it runs.
    evidence = models.CharField(_("Evidence"), max_length=64, blank=True, default="")
    date_created = models.DateTimeField(_("Date created"), db_default=Now())

    objects = models.Manager.from_queryset(_Commands)()

    class Meta:
        ordering = ("-date_created", "job_id")
        verbose_name = _("Batch command")
        verbose_name_plural = _("Batch commands")
        indexes = [
            models.Index(fields=("org_id", "-date_created", "job"), name="jobs_batchcommand_order"),
            models.Index(fields=("user_id", "-date_created", "job"), name="jobs_batchcommand_own"),
        ]

    def __str__(self) -> str:
        return str(self.command.splitlines()[0][:128]) if self.command.strip() else str(self.pk)[:8]


class HostOutput(SavedRow):
    """What a command showed on one host. While it runs, `data` holds only the end of it."""

    outcome = models.OneToOneField(HostOutcome, models.CASCADE, primary_key=True, related_name="output")
    #: The beginning of the output (errors in their place), compressed with zlib.
    data = models.BinaryField(default=b"")
    #: Bytes that were shown, whether stored or not.
    size = models.PositiveBigIntegerField(default=0)
    #: Hash of everything that was shown (`showing.Output.digest`); "" while it runs.
    digest = models.CharField(max_length=64, blank=True, default="")

    class Meta:
        verbose_name = _("Output of a host")
        verbose_name_plural = _("Outputs of hosts")

    def __str__(self) -> str:
        return str(self.outcome_id)
