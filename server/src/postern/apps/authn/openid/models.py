"""The table of OpenID Connect providers."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.authn.federation.models import FederatedProvider


class OpenidProvider(FederatedProvider):
    """A provider of OpenID Connect. Its client secret is encrypted in the vault, under the id of this row."""

    issuer = models.CharField(_("Issuer"), max_length=255)
    client_id = models.CharField(_("Client ID"), max_length=255)
    has_secret = models.BooleanField(_("Client secret is stored"), default=False, editable=False)
    scopes = models.CharField(_("Scopes"), max_length=255, default="openid profile email")
    signs_out = models.BooleanField(_("Sign out at the provider, too"), default=False)

    class Meta:
        verbose_name = _("OpenID Connect provider")
        ordering = ("order", "name", "id")
