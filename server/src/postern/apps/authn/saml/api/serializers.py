"""Serializers of SAML providers."""

from typing import Any, Final, TypedDict

from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from postern.apps.authn.federation.api.serializers import FIELDS, READ_ONLY, FederatedProviderSerializer
from postern.apps.authn.federation.models import MOST_SLUG_CHARS
from postern.apps.authn.saml import addresses
from postern.apps.authn.saml.models import SamlProvider
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.text import PlainField, PlainTextField
from postern.integrations.saml import certificates, metadata
from postern.integrations.web_apis.failures import WebApiFailed

_MOST_CHARS: Final = 255
_MOST_ADDRESS_CHARS: Final = 1000
_MOST_METADATA_CHARS: Final = 500_000
_MOST_CERTIFICATE_CHARS: Final = 50_000
#: Fields that the metadata contain.
_OF_PROVIDER: Final = ("idp_entity_id", "sso_url", "slo_url", "certificates")


class CertificateInfo(TypedDict):
    """Facts about a certificate, for comparison by administrators."""

    subject: str
    fingerprint: str
    date_expired: str


def usable_address(address: str) -> str:
    """Require an `https:` address; `http:` for this machine only. Browsers are redirected there."""
    if address and not metadata.is_usable_address(address):
        raise serializers.ValidationError(now("Enter an address of the provider; it begins with https://."))
    return address


def usable_certificates(text: str) -> str:
    """The certificates of a text as PEM blocks."""
    try:
        return certificates.as_text(certificates.from_text(text))
    except WebApiFailed as error:
        raise serializers.ValidationError(error.message) from None


def with_metadata(attrs: dict[str, Any]) -> dict[str, Any]:
    """The values of a form, with the values of its metadata."""
    text = attrs.pop("metadata", "")
    if not text.strip():
        return attrs
    try:
        provider = metadata.read(text)
    except WebApiFailed as error:
        raise serializers.ValidationError({"metadata": [error.message]}) from None
    return {
        **attrs,
        "idp_entity_id": provider.entity_id,
        "sso_url": provider.sso_url,
        "slo_url": provider.slo_url,
        "certificates": certificates.as_text(provider.certificates),
    }


def require_provider(attrs: dict[str, Any]) -> dict[str, Any]:
    """Require the values that the metadata would contain."""
    missing = [name for name in _OF_PROVIDER if name != "slo_url" and not attrs.get(name)]
    if missing:
        message = now("Enter this, or paste the metadata of the provider.")
        raise serializers.ValidationError({name: [message] for name in missing})
    return attrs


def _metadata_field() -> PlainTextField:
    return PlainTextField(
        max_length=_MOST_METADATA_CHARS,
        required=False,
        allow_blank=True,
        write_only=True,
        label=_("Metadata of the provider (XML)"),
        help_text=_("Fills in the entity ID, both addresses and the certificates."),
    )


def _certificates_field(**options: Any) -> PlainTextField:
    return PlainTextField(
        max_length=_MOST_CERTIFICATE_CHARS,
        required=False,
        allow_blank=True,
        label=_("Certificates of the provider"),
        help_text=_("PEM, one after another. An answer may be signed with any of them."),
        **options,
    )


class SamlProviderSerializer(FederatedProviderSerializer):
    """`metadata` replaces the values of the provider. The addresses are to be entered at the provider."""

    metadata = _metadata_field()
    idp_entity_id = PlainField(
        max_length=_MOST_CHARS, required=False, allow_blank=True, label=_("Entity ID of the provider")
    )
    sso_url = PlainField(max_length=_MOST_ADDRESS_CHARS, required=False, allow_blank=True, label=_("Sign-in address"))
    slo_url = PlainField(
        max_length=_MOST_ADDRESS_CHARS,
        required=False,
        allow_blank=True,
        label=_("Sign-out address"),
        help_text=_("Empty: people are signed out of Postern only."),
    )
    certificates = _certificates_field()
    certificates_info = serializers.SerializerMethodField(label=_("Certificates"))
    entity_id = serializers.SerializerMethodField(label=_("Postern's entity ID"))
    acs_url = serializers.SerializerMethodField(label=_("Assertion consumer service"))
    logout_url = serializers.SerializerMethodField(label=_("Address for logout messages"))

    class Meta:
        model = SamlProvider
        fields_mini = ("id", "name", "slug")
        fields_small = (
            *fields_mini,
            "metadata",
            *_OF_PROVIDER,
            "certificates_info",
            "signs_requests",
            "decrypts",
            "name_format",
            "subject_claim",
            *FIELDS,
            "entity_id",
            "acs_url",
            "logout_url",
            "own_certificate",
            "encryption_certificate",
        )
        fields = fields_small
        read_only_fields = (*READ_ONLY, "own_certificate", "encryption_certificate")

    def validate_sso_url(self, address: str) -> str:
        return usable_address(address)

    def validate_slo_url(self, address: str) -> str:
        return usable_address(address)

    def validate_certificates(self, text: str) -> str:
        return usable_certificates(text) if text.strip() else ""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = with_metadata(super().validate(attrs))
        if self.instance is None or not self.partial:
            return require_provider(attrs)
        return {**attrs, **require_provider({**_stored_values(self.instance), **attrs})} if _touches(attrs) else attrs

    def get_certificates_info(self, row: SamlProvider) -> list[CertificateInfo]:
        try:
            shown_certificates = [
                certificates.shown(certificate) for certificate in certificates.from_text(row.certificates)
            ]
        except WebApiFailed:
            return []  # invalid stored certificates: the list must show the row, so that it can be corrected
        return [
            CertificateInfo(
                subject=certificate.subject,
                fingerprint=certificate.fingerprint,
                date_expired=certificate.date_expired.isoformat(),
            )
            for certificate in shown_certificates
        ]

    def get_entity_id(self, row: SamlProvider) -> str:
        return addresses.entity_id(row.slug)

    def get_acs_url(self, row: SamlProvider) -> str:
        return addresses.acs(row.slug)

    def get_logout_url(self, row: SamlProvider) -> str:
        return addresses.logout(row.slug)


def _stored_values(row: Any) -> dict[str, Any]:
    return {name: getattr(row, name, "") for name in _OF_PROVIDER}


def _touches(attrs: dict[str, Any]) -> bool:
    return any(name in attrs for name in _OF_PROVIDER)


class TrialSerializer(BodySerializer):
    """The values of a form, saved or not."""

    slug = PlainField(max_length=MOST_SLUG_CHARS, label=_("ID"))
    metadata = _metadata_field()
    idp_entity_id = PlainField(max_length=_MOST_CHARS, required=False, allow_blank=True)
    sso_url = PlainField(max_length=_MOST_ADDRESS_CHARS, required=False, allow_blank=True)
    slo_url = PlainField(max_length=_MOST_ADDRESS_CHARS, required=False, allow_blank=True)
    certificates = _certificates_field()

    def validate_sso_url(self, address: str) -> str:
        return usable_address(address)

    def validate_slo_url(self, address: str) -> str:
        return usable_address(address)

    def validate_certificates(self, text: str) -> str:
        return usable_certificates(text) if text.strip() else ""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return require_provider(with_metadata(attrs))
