"""Tables of streams: who follows the audit log, and how far they are."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import PosternModel
from postern.kernel import clock


class AuditStream(PosternModel):
    """Somebody who follows the audit log from `date_started` on.

    `holder` and `held_until`: the process that is sending now. When a killed process' time is over, another process follows.
    `failing_since`, `reason`: since when the other side takes nothing, and a stored phrase why.
    """

    name = models.CharField(max_length=64, unique=True)
    date_started = models.DateTimeField(default=clock.now)
    holder = models.CharField(max_length=64, blank=True, default="")
    held_until = models.DateTimeField(null=True)
    date_sent = models.DateTimeField(null=True)
    sent = models.BigIntegerField(default=0)
    failing_since = models.DateTimeField(null=True)
    reason = models.JSONField(null=True)

    class Meta:
        verbose_name = _("Stream of audit events")

    def __str__(self) -> str:
        return self.name


class AuditPosition(PosternModel):
    """The sequence number of the last event of one organization's chain that a stream is done with."""

    stream = models.ForeignKey(AuditStream, models.CASCADE, related_name="positions")
    org_id = models.UUIDField()
    sequence = models.BigIntegerField()

    class Meta:
        verbose_name = _("Position in the audit log")
        constraints = [models.UniqueConstraint(fields=("stream", "org_id"), name="forwarding_position_unique")]

    def __str__(self) -> str:
        return f"{self.org_id}: {self.sequence}"
