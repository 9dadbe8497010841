"""Tables of SAML providers and of their used answers."""

from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.authn.federation.models import FederatedProvider
from postern.foundation.models import PosternModel
from postern.integrations.saml import names
from postern.kernel import clock


class NameFormat(models.TextChoices):
    """The NameID format that is requested from the provider."""

    ANY = "any", _("As the provider decides")
    PERSISTENT = "persistent", _("Persistent")
    EMAIL = "email", _("Mail address")
    UNSPECIFIED = "unspecified", _("Unspecified")

    @property
    def urn(self) -> str:
        """The URN of the standard; "" for any."""
        return _URNS[self]


_URNS: Final = {
    NameFormat.ANY: "",
    NameFormat.PERSISTENT: names.PERSISTENT,
    NameFormat.EMAIL: names.EMAIL,
    NameFormat.UNSPECIFIED: names.UNSPECIFIED,
}


class SamlProvider(FederatedProvider):
    """A provider of SAML 2.0. `certificates`: PEM blocks; each may sign. `subject_claim`: the attribute that identifies
    people; empty: the NameID. `slo_url`: empty if people are signed out of Postern only.

    `own_certificate` is the public part of our key; the key is encrypted in the vault, under the id of this row. The
    same applies to `encryption_certificate` and its separate key, which is made when `decrypts` is first switched on.
    """

    idp_entity_id = models.CharField(_("Entity ID of the provider"), max_length=255)
    sso_url = models.CharField(_("Sign-in address"), max_length=1000)
    slo_url = models.CharField(_("Sign-out address"), max_length=1000, blank=True, default="")
    certificates = models.TextField(_("Certificates of the provider"))
    signs_requests = models.BooleanField(_("Sign requests"), default=False)
    decrypts = models.BooleanField(_("Decrypt assertions"), default=False)
    name_format = models.CharField(
        _("NameID format"), max_length=16, choices=NameFormat.choices, default=NameFormat.ANY
    )
    subject_claim = models.CharField(_("Attribute that identifies people"), max_length=128, blank=True, default="")
    username_claim = models.CharField(_("Attribute of the username"), max_length=128, default="NameID")
    name_claim = models.CharField(_("Attribute of the name"), max_length=128, default="displayName", blank=True)
    email_claim = models.CharField(_("Attribute of the mail address"), max_length=128, default="email", blank=True)
    own_certificate = models.TextField(_("Postern's certificate"), editable=False, default="")
    encryption_certificate = models.TextField(_("Postern's certificate for encryption"), editable=False, default="")

    class Meta:
        verbose_name = _("SAML provider")
        ordering = ("order", "name", "id")


class SamlAnswer(PosternModel):
    """An accepted assertion. It is refused when used again, and identifies the sign-in when the provider signs a person
    out.

    `assertion_hash` is also the `provider_session` of the sign-in. `name_id`: the name of the person, in the form that
    the provider expects in requests. `date_expired`: from this time the assertion is refused as expired.
    """

    provider = models.ForeignKey(SamlProvider, on_delete=models.CASCADE, related_name="answers")
    assertion_hash = models.CharField(max_length=64, unique=True)
    subject = models.CharField(max_length=255)
    name_hash = models.CharField(max_length=64)
    name_id = models.JSONField()
    session = models.CharField(max_length=255, blank=True, default="")
    date_created = models.DateTimeField(default=clock.now)
    date_expired = models.DateTimeField()

    class Meta:
        verbose_name = _("Answer of a SAML provider")
        indexes = [
            models.Index(fields=("provider", "name_hash"), name="authn_saml_answer_name"),
            models.Index(fields=("date_expired",), name="authn_saml_answer_expired"),
        ]

    def __str__(self) -> str:
        return f"answer {self.id}"
