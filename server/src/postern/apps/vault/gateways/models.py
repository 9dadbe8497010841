"""The table of gateways."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.assets.models import Domain
from postern.contracts.enums import Protocol
from postern.foundation.models import OrgOwnedModel, ScopedManager


class Gateway(OrgOwnedModel):
    """An SSH server that forwards connections to the assets of its domain. Its secrets are encrypted in `SealedSecret`.

    `is_connective`: it answered when it was last needed. Gateways that did not answer are tried last.
    """

    name = models.CharField(_("Name"), max_length=128)
    ip = models.CharField(_("IP"), max_length=128)
    port = models.PositiveIntegerField(
        _("Port"),
        default=22,
        validators=[MinValueValidator(1), MaxValueValidator(65535)],
        help_text=_("The SSH port. Behind NAT, enter the port that is forwarded to the gateway."),
    )
    protocol = models.CharField(
        _("Protocol"), max_length=16, choices=[(Protocol.SSH.value, Protocol.SSH.value)], default=Protocol.SSH.value
    )
    username = models.CharField(_("Username"), max_length=128, blank=True, default="")
    domain = models.ForeignKey(Domain, models.PROTECT, related_name="gateways", verbose_name=_("Domain"))
    is_active = models.BooleanField(_("Is active"), default=True)
    is_connective = models.BooleanField(_("Answers"), default=True, editable=False)
    #: Public facts about the secrets, stored with the gateway.
    public_key = models.TextField(_("SSH public key"), max_length=16_384, blank=True, default="", editable=False)
    ssh_key_fingerprint = models.CharField(
        _("SSH key fingerprint"), max_length=64, blank=True, default="", editable=False
    )

    objects = ScopedManager()

    class Meta:
        ordering = ("name", "id")
        verbose_name = _("Gateway")
        constraints = [models.UniqueConstraint(fields=("name", "org_id"), name="vault_gateway_unique")]
        indexes = [
            models.Index(fields=("org_id", "name", "id"), name="vault_gateway_order"),
            models.Index(fields=("domain", "name"), name="vault_gateway_of_domain"),
        ]

    def __str__(self) -> str:
        return self.name
