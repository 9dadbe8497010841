"""The table of pinned host keys."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.assets.tree.models import Asset
from postern.foundation.models import OrgOwnedModel, ScopedManager


class HostKey(OrgOwnedModel):
    """The host key that a target sent at first use, per hop, address and port. Only a user can replace it."""

    asset = models.ForeignKey(Asset, models.CASCADE, related_name="host_keys", verbose_name=_("Asset"))
    host = models.CharField(_("Address"), max_length=255)
    port = models.PositiveIntegerField(_("Port"))
    via = models.CharField(_("Hop"), max_length=255, blank=True, default="")
    key_type = models.CharField(_("Key type"), max_length=64)
    public_key = models.TextField(_("Public key"), max_length=16_384)
    fingerprint = models.CharField(_("Fingerprint"), max_length=64)
    date_last_seen = models.DateTimeField(_("Date last seen"))
    #: The most recent different key that was refused; empty when there was none.
    refused_fingerprint = models.CharField(_("Refused fingerprint"), max_length=64, blank=True, default="")
    date_refused = models.DateTimeField(_("Date refused"), null=True, blank=True)

    objects = ScopedManager()

    class Meta:
        ordering = ("host", "port", "via")
        verbose_name = _("Host key")
        constraints = [
            models.UniqueConstraint(fields=("asset", "host", "port", "via"), name="assets_hostkey_unique"),
        ]
        indexes = [models.Index(fields=("org_id", "host", "port", "via"), name="assets_hostkey_order")]

    def __str__(self) -> str:
        return f"{self.host}:{self.port} {self.fingerprint}"
