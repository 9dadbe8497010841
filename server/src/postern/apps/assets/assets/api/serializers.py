"""Serializers of assets (contract/assets.md)."""

from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.assets.assets import protocols
from postern.apps.assets.assets.addresses import check_address
from postern.apps.assets.assets.api.fields import AdminUserDisplayField, AdminUserField, NodePathsField, ProtocolsField
from postern.apps.assets.assets.protocols import ASSET_PROTOCOLS, ProtocolPort
from postern.apps.assets.platforms.models import Platform
from postern.apps.assets.tree.models import Asset, Domain, Label, Node
from postern.contracts.enums import Protocol
from postern.foundation.rest.naming import by, itself, pairs
from postern.foundation.rest.related import prefetched
from postern.foundation.rest.relations import NamedField, OrgOwnedField, OrgOwnedList
from postern.foundation.rest.serializers import ResourceSerializer

_MAX_HOSTNAME: Final = 128


class AssetSerializer(ResourceSerializer):
    platform = NamedField(slug_field="name", queryset=Platform.objects.all(), label=gettext_lazy("Platform"))
    protocols = ProtocolsField(default=list(protocols.DEFAULT_PROTOCOLS))
    protocol = serializers.ChoiceField(
        choices=[item.value for item in ASSET_PROTOCOLS],
        write_only=True,
        required=False,
        label=gettext_lazy("Protocol"),
    )
    port = serializers.IntegerField(
        write_only=True, required=False, min_value=1, max_value=65535, label=gettext_lazy("Port")
    )
    domain = OrgOwnedField(
        Domain,
        named=by(("name", itself)),
        required=False,
        allow_null=True,
        label=gettext_lazy("Domain"),
        help_text=gettext_lazy(
            "The network zone of the asset. If it has gateways, the asset is reached only through them."
        ),
    )
    domain_display = serializers.SerializerMethodField(label=gettext_lazy("Domain name"))
    admin_user = AdminUserField()
    admin_user_display = AdminUserDisplayField()
    nodes = OrgOwnedList(
        Node, named=by(("full_value", itself)), required=False, allow_empty=False, label=gettext_lazy("Nodes")
    )
    nodes_display = NodePathsField()
    labels = OrgOwnedList(Label, named=pairs("name", "value"), required=False, label=gettext_lazy("Labels"))
    labels_display = serializers.SerializerMethodField(label=gettext_lazy("Labels"))
    charset = serializers.CharField(source="platform.charset", read_only=True, label=gettext_lazy("Charset"))
    connectivity_reason = serializers.CharField(source="connectivity_why", read_only=True, label=gettext_lazy("Reason"))
    hardware_info = serializers.CharField(read_only=True, label=gettext_lazy("Hardware info"))

    class Meta:
        model = Asset
        fields_mini = ("id", "hostname", "ip", "platform", "protocols")
        fields_small = (
            *fields_mini, "protocol", "port", "is_active", "public_ip", "number", "vendor", "model", "sn", "cpu_model",
            "cpu_count", "cpu_cores", "cpu_vcpus", "memory", "disk_total", "disk_info", "os", "os_version", "os_arch",
            "hostname_raw", "charset", "comment", "hardware_info", "connectivity", "connectivity_reason", "date_verified",
        )  # fmt: skip
        fields = (
            *fields_small, "domain", "domain_display", "admin_user", "admin_user_display", "nodes", "nodes_display", "labels", "labels_display",
            "created_by", "date_created", "date_updated", "org_id", "org_name",
        )  # fmt: skip
        read_only_fields = (
            "created_by", "date_created", "date_updated", "connectivity", "connectivity_reason", "date_verified",
        )  # fmt: skip

    def get_domain_display(self, asset: Asset) -> str:
        """The name of the domain; "" for none. Not a default, because answers to PATCH would leave it out."""
        return asset.domain.name if asset.domain is not None else ""

    def get_labels_display(self, asset: Asset) -> list[str]:
        """`name:value` of each label, in the order of `labels`. The filter `label` accepts the same form."""
        return [str(label) for label in prefetched(asset, "labels")]

    def validate_hostname(self, value: str) -> str:
        name = value.strip()
        if not name or not name.isprintable():
            raise serializers.ValidationError(
                _("The name contains invisible characters. Use printable characters only.")
            )
        return name

    def validate_ip(self, value: str) -> str:
        return check_address(value)

    def validate_public_ip(self, value: str | None) -> str | None:
        return check_address(value) if value else value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        self._settle_protocols(attrs)
        paths = attrs.pop("nodes_display", None)
        if paths:
            attrs["node_paths"] = paths
        return attrs

    def _settle_protocols(self, attrs: dict[str, Any]) -> None:
        """Use `protocols` if given, else `protocol` and `port`, else the asset's current protocols or the default."""
        protocol, port = attrs.pop("protocol", None), attrs.pop("port", None)
        given = attrs.pop("protocols", None)
        if given and isinstance(given[0], ProtocolPort):
            attrs["protocols"] = given
        elif protocol or port:
            name = Protocol(protocol or Protocol.SSH.value)
            attrs["protocols"] = [ProtocolPort(name, port or protocols.DEFAULT_PORTS[name])]
        elif self.instance is None:
            attrs["protocols"] = [item for text in protocols.DEFAULT_PROTOCOLS if (item := protocols.parse(text))]


class BoundAssetSerializer(ResourceSerializer):
    """Short form of an asset, for lists of other resources."""

    class Meta:
        model = Asset
        fields = ("id", "hostname", "ip")
