"""Serializers of OpenID Connect providers."""

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from postern.apps.authn.federation.api.serializers import FIELDS, READ_ONLY, FederatedProviderSerializer
from postern.apps.authn.federation.models import MOST_SLUG_CHARS
from postern.apps.authn.openid import addresses
from postern.apps.authn.openid.models import OpenidProvider
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.text import PlainField

_MOST_CHARS: Final = 255
_MOST_SECRET_CHARS: Final = 1024


def usable_issuer(issuer: str) -> str:
    """Require an `https:` address without query; `http:` for this machine only. Not normalised, because it is compared
    exactly.
    """
    if not _is_usable(issuer):
        raise serializers.ValidationError(now("Enter the address of the provider; it begins with https://."))
    return issuer


def _is_usable(issuer: str) -> bool:
    try:
        parts = urlsplit(issuer)
        host, is_plain = parts.hostname or "", (parts.port or 1) > 0
    except ValueError:
        return False
    if not host or not is_plain or parts.username is not None or parts.query or parts.fragment:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _is_this_machine(host))


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def usable_scopes(scopes: str) -> str:
    words = scopes.split()
    if "openid" not in words:
        raise serializers.ValidationError(now("The scopes must contain openid."))
    return " ".join(words)


class OpenidProviderSerializer(FederatedProviderSerializer):
    """`client_secret`: empty keeps the stored secret, null removes it. The addresses are to be entered at the provider."""

    client_secret = serializers.CharField(
        max_length=_MOST_SECRET_CHARS,
        required=False,
        allow_blank=True,
        allow_null=True,
        write_only=True,
        trim_whitespace=False,
        label=_("Client secret"),
        help_text=_("Empty keeps the stored one. A public client has none."),
    )
    redirect_uri = serializers.SerializerMethodField(label=_("Redirect address"))
    back_channel_logout_uri = serializers.SerializerMethodField(label=_("Back-channel logout address"))
    post_logout_redirect_uri = serializers.SerializerMethodField(label=_("Address after logout"))

    class Meta:
        model = OpenidProvider
        fields_mini = ("id", "name", "slug")
        fields_small = (
            *fields_mini,
            "issuer",
            "client_id",
            "client_secret",
            "has_secret",
            "scopes",
            *FIELDS,
            "signs_out",
            "redirect_uri",
            "back_channel_logout_uri",
            "post_logout_redirect_uri",
        )
        fields = fields_small
        read_only_fields = (*READ_ONLY, "has_secret")

    def validate_issuer(self, issuer: str) -> str:
        return usable_issuer(issuer)

    def validate_scopes(self, scopes: str) -> str:
        return usable_scopes(scopes)

    def get_redirect_uri(self, row: OpenidProvider) -> str:
        return addresses.callback(row.slug)

    def get_back_channel_logout_uri(self, row: OpenidProvider) -> str:
        return addresses.back_channel_logout(row.slug)

    def get_post_logout_redirect_uri(self, row: OpenidProvider) -> str:
        return addresses.after_logout()


class TrialSerializer(BodySerializer):
    """The values of a form, saved or not. `id`: the stored provider whose secret replaces an empty secret."""

    id = serializers.UUIDField(required=False, allow_null=True)
    slug = PlainField(max_length=MOST_SLUG_CHARS, label=_("ID"))
    issuer = PlainField(max_length=_MOST_CHARS, label=_("Issuer"))
    client_id = PlainField(max_length=_MOST_CHARS, label=_("Client ID"))
    client_secret = serializers.CharField(
        max_length=_MOST_SECRET_CHARS,
        required=False,
        allow_blank=True,
        allow_null=True,
        trim_whitespace=False,
        write_only=True,
        label=_("Client secret"),
    )
    scopes = PlainField(max_length=_MOST_CHARS, required=False, default="openid", label=_("Scopes"))
    signs_out = serializers.BooleanField(required=False, default=False)

    def validate_issuer(self, issuer: str) -> str:
        return usable_issuer(issuer)
