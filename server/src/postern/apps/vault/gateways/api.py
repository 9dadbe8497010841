"""`assets/gateways/`.

Responses never contain a secret, not even as a default (K73: secrets go in and never come out).
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.assets import facade as assets
from postern.apps.assets.models import Domain
from postern.apps.vault.gateways import actions
from postern.apps.vault.gateways.models import Gateway
from postern.apps.vault.gateways.places import GATEWAYS
from postern.apps.vault.sealed_secrets.api import (
    NamesStoredSecrets,
    StoredSecretsField,
    StoresSecrets,
    with_stored_secrets,
)
from postern.apps.vault.system_users.ssh_keys import MAX_KEY_TEXT
from postern.foundation.caller.scope import writable
from postern.foundation.rest.naming import by, itself
from postern.foundation.rest.relations import OrgOwnedField
from postern.foundation.rest.rights import ORG_ADMIN_ONLY
from postern.foundation.rest.secret_field import SecretField
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.text import PlainField
from postern.foundation.rest.viewsets import ResourceViewSet


class GatewaySerializer(ResourceSerializer):
    password = SecretField(max_length=512, label=gettext_lazy("Password"))
    private_key = SecretField(max_length=MAX_KEY_TEXT, label=gettext_lazy("SSH private key"))
    public_key = SecretField(max_length=MAX_KEY_TEXT, label=gettext_lazy("SSH public key"))
    username = PlainField(max_length=128, required=False, allow_blank=True, label=gettext_lazy("Username"))
    domain = OrgOwnedField(Domain, named=by(("name", itself)), label=gettext_lazy("Domain"))
    domain_display = serializers.CharField(source="domain.name", read_only=True, label=gettext_lazy("Domain name"))

    class Meta:
        model = Gateway
        fields_mini = ("id", "name")
        fields_small = (
            *fields_mini, "password", "private_key", "public_key", "username", "ip", "port", "protocol", "is_active",
            "is_connective", "ssh_key_fingerprint", "date_created", "date_updated", "created_by", "comment",
        )  # fmt: skip
        fields: tuple[str, ...] = (*fields_small, "domain", "domain_display", "org_id", "org_name")
        read_only_fields = ("is_connective", "ssh_key_fingerprint", "date_created", "date_updated", "created_by")

    immutable_fields = ("domain",)

    def validate_username(self, value: str) -> str:
        if any(not character.isprintable() or character in "@/ " for character in value.strip()):
            raise serializers.ValidationError(_("A username cannot contain blanks, slashes or at signs."))
        return value.strip()

    def validate_ip(self, value: str) -> str:
        return assets.check_address(value)


class GatewayDetailSerializer(GatewaySerializer):
    """One gateway, with the names of its stored secrets."""

    stored_secrets = StoredSecretsField()

    class Meta(GatewaySerializer.Meta):
        fields = (*GatewaySerializer.Meta.fields, "stored_secrets")


class GatewayViewSet(StoresSecrets, NamesStoredSecrets, ResourceViewSet):
    queryset = Gateway.objects.all()
    serializer_class = GatewaySerializer
    serializer_classes = with_stored_secrets(GatewayDetailSerializer)
    secrets_table = GATEWAYS
    examples = {"name": "branch-gateway", "ip": "192.0.2.1", "username": "forward"}
    rights = ORG_ADMIN_ONLY
    filter_fields = ("domain__name", "name", "username", "ip", "domain", "is_active")
    search_fields = ("domain__name", "name", "username", "ip")
    ordering_fields = ("name", "ip", "port", "username", "is_active", "is_connective", "date_created")

    def visible_rows(self) -> QuerySet[Gateway]:
        return cast("QuerySet[Gateway]", super().visible_rows()).select_related("domain")

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        actions.hold({row.org_id for row in rows} or {self.scope.org_id}, rows, values, deleting=deleting)

    def create_object(self, data: dict[str, Any]) -> Gateway:
        return actions.create_gateway(actor=self.actor, org_id=writable(self.scope), values=data)

    def update_object(self, instance: Gateway, data: dict[str, Any]) -> Gateway:
        return actions.update_gateway(actor=self.actor, gateway=instance, values=data)

    def delete_object(self, instance: Gateway) -> None:
        actions.delete_gateway(actor=self.actor, gateway=instance)
