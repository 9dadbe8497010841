"""The table of commands: what users entered in sessions, and the output of programs."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.sessions import labels
from postern.apps.sessions.sessions.models import ChainedRow, Session
from postern.contracts.enums import CommandKind, RiskLevel
from postern.foundation.models import ScopedManager


class Command(ChainedRow):
    """One command of a session. Names are copied from the session, because commands are searched by them.

    `offset_ms` is the position in the recording; `output` holds the first kilobytes as plain text.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="commands")
    org_id = models.UUIDField()
    user = models.CharField(_("User"), max_length=258)
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

    objects = ScopedManager()

    class Meta:
        verbose_name = _("Command")
        ordering = ("-at",)
        indexes = [
            models.Index(fields=("session", "at"), name="sessions_command_session"),
            models.Index(fields=("org_id", "-at"), name="sessions_command_org"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=labels.values(labels.COMMAND_KINDS)), name="sessions_command_kind_known"
            ),
            models.UniqueConstraint(fields=("session", "number"), name="sessions_command_place"),
        ]

    def __str__(self) -> str:
        return f"command {self.id}"
