"""The table of pinned host keys."""

from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.assets.tree.models import Asset
from postern.foundation.models import OrgOwnedModel, ScopedManager

#: Room for the names of the gateways of four stages, with separators.
MAX_VIA: Final = 600


class HostKey(OrgOwnedModel):
    """The host key that a target or a gateway sent at first use, per hop, address and port. Only a user can replace it.

    It belongs to an asset or to a gateway. `via` names the gateways that were passed on the way.
    """

    asset = models.ForeignKey(Asset, models.CASCADE, null=True, related_name="host_keys", verbose_name=_("Asset"))
    #: Not a foreign key, because gateways belong to a higher layer.
    gateway_id = models.UUIDField(_("Gateway"), null=True)
    host = models.CharField(_("Address"), max_length=255)
    port = models.PositiveIntegerField(_("Port"))
    via = models.CharField(_("Hop"), max_length=MAX_VIA, blank=True, default="")
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
            models.UniqueConstraint(
                fields=("gateway_id", "host", "port", "via"),
                condition=models.Q(gateway_id__isnull=False),
                name="assets_hostkey_unique_of_gateway",
            ),
            models.CheckConstraint(
                condition=models.Q(asset__isnull=False, gateway_id__isnull=True)
                | models.Q(asset__isnull=True, gateway_id__isnull=False),
                name="assets_hostkey_of_asset_or_gateway",
            ),
        ]
        indexes = [models.Index(fields=("org_id", "host", "port", "via"), name="assets_hostkey_order")]

    def __str__(self) -> str:
        return f"{self.host}:{self.port} {self.fingerprint}"
