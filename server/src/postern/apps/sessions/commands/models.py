"""The table of commands: what users entered in sessions, and the output of programs."""

from typing import Final

from django.db import models
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from postern.apps.sessions import labels
from postern.apps.sessions.sessions.models import ChainedRow, Session
from postern.contracts.command_control import CommandAction
from postern.contracts.enums import CommandKind, RiskLevel
from postern.foundation.models import ScopedManager
from postern.kernel.secret_patterns import masked

#: Nearly all commands are ordinary: an index of the others costs next to nothing.
_IS_RISKY: Final = models.Q(risk_level=RiskLevel.DANGEROUS.value)


class Command(ChainedRow):
    """One command of a session. Names and the id of the asset are copied from the session, because commands are searched by them.

    `offset_ms` is the position in the recording; `output` holds the first kilobytes as plain text.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="commands")
    org_id = models.UUIDField()
    user = models.CharField(_("User"), max_length=258)
    asset_id = models.UUIDField(_("Asset ID"))
    asset = models.CharField(_("Asset"), max_length=128)
    system_user = models.CharField(_("System user"), max_length=128)
    kind = models.CharField(_("Kind"), max_length=16, choices=labels.COMMAND_KINDS, default=CommandKind.ECHO.value)
    input = models.TextField(_("Command"))
    output = models.TextField(_("Output"), blank=True, default="")
    risk_level = models.PositiveSmallIntegerField(
        _("Risk level"), choices=labels.RISK_LEVELS, default=RiskLevel.ORDINARY.value
    )
    at = models.DateTimeField(_("Time"))
    offset_ms = models.BigIntegerField(_("Offset"), default=0)
    #: What a command filter decided, "" without a decision. A command that was refused did not run.
    decision = models.CharField(_("Decision"), max_length=8, choices=labels.DECISIONS, blank=True, default="")
    decision_rule = models.UUIDField(_("Rule"), null=True)
    decision_filter = models.CharField(_("Command filter"), max_length=64, blank=True, default="")
    #: Why nobody could say what the line runs: a code of the kernel, "" when a rule decided.
    decision_reason = models.CharField(_("Reason"), max_length=32, blank=True, default="")

    objects = ScopedManager()

    class Meta:
        verbose_name = _("Command")
        ordering = ("-at",)
        indexes = [
            models.Index(fields=("session", "at"), name="sessions_command_session"),
            models.Index(fields=("org_id", "-at", "id"), name="sessions_command_org"),
            # The asset first, because the root organization asks without an organization.
            models.Index(fields=("asset_id", "org_id", "-at"), name="sessions_command_asset_id"),
            models.Index(fields=("asset", "org_id", "-at"), name="sessions_command_asset"),
            # The operators of patterns, because names are looked for by their beginning in PostgreSQL.
            models.Index(
                fields=("user", "org_id", "-at", "id"),
                opclasses=("varchar_pattern_ops", "uuid_ops", "timestamptz_ops", "uuid_ops"),
                name="sessions_command_user",
            ),
            models.Index(fields=("system_user", "org_id", "-at", "id"), name="sessions_command_account"),
            models.Index(
                fields=("risk_level", "org_id", "-at", "id"), condition=_IS_RISKY, name="sessions_command_risk"
            ),
            # For the root organization, which has no organization to begin with.
            models.Index(fields=("-at", "id"), name="sessions_command_newest"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=labels.values(labels.COMMAND_KINDS)), name="sessions_command_kind_known"
            ),
            models.CheckConstraint(
                condition=models.Q(decision="") | models.Q(decision__in=labels.values(labels.DECISIONS)),
                name="sessions_command_decision_known",
            ),
            models.UniqueConstraint(fields=("session", "number"), name="sessions_command_place"),
        ]

    def __str__(self) -> str:
        return f"command {self.id}"

    @property
    def is_refused(self) -> bool:
        """Whether a filter prevented the command."""
        return self.decision in {CommandAction.DENY.value, CommandAction.CONFIRM.value}

    @cached_property
    def shown(self) -> tuple[str, str]:
        """Input and output with everything hidden that looks like a secret."""
        return masked(self.input), masked(self.output)

    @property
    def has_secrets(self) -> bool:
        """Whether `shown` hides something."""
        return self.shown != (self.input, self.output)
