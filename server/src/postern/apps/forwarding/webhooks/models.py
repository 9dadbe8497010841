"""Tables of webhooks and of what is delivered to them."""

from typing import Any, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import DatedModel, PosternModel, ScopedQuerySet
from postern.kernel import clock


class OfInstallation(ScopedQuerySet):
    """Rows of the installation, for super administrators."""

    def visible_to(self, actor: Any, scope: Any) -> Self:
        del scope
        return self if actor.is_super_user else self.none()


class Webhook(DatedModel):
    """An endpoint. Its secrets are sealed (`secrets.py`); during a change of the secret both sign.

    `message_types` and `audit_categories`: what it gets. `off_reason`: a stored phrase, when its receiver switched it off.
    """

    name = models.CharField(_("Name"), max_length=128, unique=True)
    address = models.CharField(_("Address"), max_length=1024)
    message_types = models.JSONField(_("System messages"), default=list)
    audit_categories = models.JSONField(_("Audit events"), default=list)
    is_active = models.BooleanField(_("Active"), default=True)
    off_reason = models.JSONField(null=True, editable=False)
    former_until = models.DateTimeField(_("Former secret until"), null=True, editable=False)

    objects = models.Manager.from_queryset(OfInstallation)()

    class Meta:
        verbose_name = _("Webhook")
        verbose_name_plural = _("Webhooks")
        ordering = ("name", "id")

    def __str__(self) -> str:
        return self.name

    @property
    def stream_name(self) -> str:
        """The name of its position in the audit log."""
        return f"webhook:{self.pk}"


class WebhookState(models.TextChoices):
    """The state of a delivery. It is accepted when the receiver answered 2xx."""

    WAITING = "waiting", _("Waiting")
    ACCEPTED = "accepted", _("Accepted")
    FAILED = "failed", _("Failed")


class WebhookDelivery(PosternModel):
    """One message to one endpoint. `source` tells what it is about, so that nothing is queued twice.

    The body is stored, so all tries send the same bytes under the same id (`message_id`). A sender claims a waiting row by
    moving `next_try` ahead and counting the try.
    """

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries", verbose_name=_("Webhook"))
    source = models.CharField(max_length=128)
    kind = models.CharField(_("Kind"), max_length=128)
    body = models.TextField()
    state = models.CharField(_("State"), max_length=16, choices=WebhookState, default=WebhookState.WAITING)
    tries = models.PositiveIntegerField(_("Tries"), default=0)
    next_try = models.DateTimeField(_("Next try"), default=clock.now)
    #: The status of the last answer.
    status = models.PositiveIntegerField(_("Status"), null=True)
    reason = models.JSONField(_("Reason"), null=True)
    date_created = models.DateTimeField(_("Date created"), default=clock.now)
    date_accepted = models.DateTimeField(_("Date accepted"), null=True)
    date_updated = models.DateTimeField(_("Date updated"), auto_now=True)

    objects = models.Manager.from_queryset(OfInstallation)()

    class Meta:
        verbose_name = _("Webhook delivery")
        ordering = ("-date_created", "id")
        constraints = [models.UniqueConstraint(fields=("webhook", "source"), name="forwarding_delivery_unique")]
        indexes = [
            models.Index(
                fields=("webhook", "next_try"), condition=models.Q(state="waiting"), name="forwarding_delivery_due"
            ),
            models.Index(fields=("-date_created", "id"), name="forwarding_delivery_newest"),
            models.Index(fields=("state", "-date_created", "id"), name="forwarding_delivery_state"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.webhook_id}"

    @property
    def message_id(self) -> str:
        """The `webhook-id` of all tries."""
        return f"msg_{self.pk.hex}"
