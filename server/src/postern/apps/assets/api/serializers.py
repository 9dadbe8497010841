"""Shapes of the assets app on the wire (contract/assets.md)."""

import ipaddress
import re
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.assets import protocols
from postern.apps.assets.api.fields import AdminUserDisplayField, AdminUserField, NodePathsField, ProtocolsField
from postern.apps.assets.models import Asset, FavoriteAsset, HostKey, Label, Node, Platform, PlatformBase
from postern.apps.assets.protocols import ASSET_PROTOCOLS, ProtocolPort
from postern.contracts.enums import Protocol
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.related import prefetched
from postern.foundation.rest.relations import NamedField, OrgOwnedField, OrgOwnedList
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.text import PlainField

_HOST_NAME: Final = re.compile(r"(?=.{1,128}\Z)[A-Za-z0-9_]([A-Za-z0-9_-]{0,62})(\.[A-Za-z0-9_-]{1,63})*\.?\Z")
_MAX_HOSTNAME: Final = 128


def check_address(value: str) -> str:
    """An IP address or a host name that can be resolved; nothing with blanks, slashes or ports (K36)."""
    text = value.strip()
    try:
        ipaddress.ip_address(text)
    except ValueError:
        if not _HOST_NAME.match(text) or text.replace(".", "").isdigit():
            raise serializers.ValidationError(_("Enter an IP address or a host name.")) from None
    return text


class PlatformMetaSerializer(serializers.Serializer[Any]):
    """Settings of Windows platforms."""

    security = serializers.ChoiceField(choices=["rdp", "nla", "tls", "any"], required=False)
    console = serializers.ChoiceField(choices=["true", "false"], required=False)


class PlatformSerializer(ResourceSerializer):
    meta = PlatformMetaSerializer(required=False, allow_null=True, label=gettext_lazy("Meta"))

    class Meta:
        model = Platform
        fields_mini = ("id", "name", "internal")
        fields_small = (*fields_mini, "base", "charset", "comment")
        fields = (*fields_small, "meta")
        read_only_fields = ("id", "internal")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        base = attrs.get("base", getattr(self.instance, "base", PlatformBase.LINUX))
        if attrs.get("meta") is not None and base != PlatformBase.WINDOWS:
            attrs["meta"] = None
        return attrs


class NodeSerializer(ResourceSerializer):
    value = PlainField(max_length=128, required=False, allow_blank=True, allow_null=True, label=gettext_lazy("Value"))
    name = serializers.CharField(source="value", read_only=True, label=gettext_lazy("Name"))
    full_value = serializers.CharField(max_length=4096, read_only=True, label=gettext_lazy("Full value"))

    class Meta:
        model = Node
        fields_mini = ("id", "key", "value", "name", "full_value")
        fields_small = (*fields_mini, "org_id")
        fields = (*fields_small, "org_name")
        read_only_fields = ("key",)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return attrs  # names among siblings are checked by the action, under the lock of the tree


class ChildNodeSerializer(NodeSerializer):
    """For creating: the id may be chosen."""

    id = serializers.UUIDField(required=False)


class LabelSerializer(ResourceSerializer):
    assets = OrgOwnedList(Asset, required=False, label=gettext_lazy("Assets"))
    asset_count = serializers.IntegerField(read_only=True, label=gettext_lazy("Assets amount"))

    class Meta:
        model = Label
        fields_mini = ("id", "name")
        fields_small = (*fields_mini, "value", "category", "category_display", "is_active", "date_created", "comment")
        fields = (*fields_small, "asset_count", "assets", "org_id", "org_name", "get_category_display")
        read_only_fields = ("category", "date_created", "get_category_display")

    category_display = serializers.CharField(
        source="get_category_display", read_only=True, label=gettext_lazy("Category")
    )
    get_category_display = serializers.CharField(read_only=True, label=gettext_lazy("Category"))

    def validate_name(self, value: str) -> str:
        return self._without_separators(value)

    def validate_value(self, value: str) -> str:
        return self._without_separators(value)

    def _without_separators(self, value: str) -> str:
        if ":" in value or "#" in value:
            raise serializers.ValidationError(_("Labels contain neither a colon nor a number sign."))
        return value


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
    admin_user = AdminUserField()
    admin_user_display = AdminUserDisplayField()
    nodes = OrgOwnedList(Node, required=False, allow_empty=False, label=gettext_lazy("Nodes"))
    nodes_display = NodePathsField()
    labels = OrgOwnedList(Label, required=False, label=gettext_lazy("Labels"))
    labels_display = serializers.SerializerMethodField(label=gettext_lazy("Labels"))
    charset = serializers.CharField(source="platform.charset", read_only=True, label=gettext_lazy("Charset"))
    hardware_info = serializers.CharField(read_only=True, label=gettext_lazy("Hardware info"))

    class Meta:
        model = Asset
        fields_mini = ("id", "hostname", "ip", "platform", "protocols")
        fields_small = (
            *fields_mini, "protocol", "port", "is_active", "public_ip", "number", "vendor", "model", "sn", "cpu_model",
            "cpu_count", "cpu_cores", "cpu_vcpus", "memory", "disk_total", "disk_info", "os", "os_version", "os_arch",
            "hostname_raw", "charset", "comment", "hardware_info", "connectivity", "date_verified",
        )  # fmt: skip
        fields = (
            *fields_small, "admin_user", "admin_user_display", "nodes", "nodes_display", "labels", "labels_display",
            "created_by", "date_created", "date_updated", "org_id", "org_name",
        )  # fmt: skip
        read_only_fields = ("created_by", "date_created", "date_updated", "connectivity", "date_verified")

    def get_labels_display(self, asset: Asset) -> list[str]:
        """`name:value` of each label, in the order of `labels`; the filter `label` takes this form."""
        return [str(label) for label in prefetched(asset, "labels")]

    def validate_hostname(self, value: str) -> str:
        name = value.strip()
        if not name or not name.isprintable():
            raise serializers.ValidationError(_("Enter a name of printable characters."))
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
        """`protocols` if given, else `protocol` and `port`, else what the asset has, else the default."""
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
    """An asset in short, for lists of other resources."""

    class Meta:
        model = Asset
        fields = ("id", "hostname", "ip")


class HostKeySerializer(ResourceSerializer):
    asset_display = serializers.CharField(source="asset.hostname", read_only=True, label=gettext_lazy("Asset"))
    has_changed = serializers.SerializerMethodField(label=gettext_lazy("Changed"))

    class Meta:
        model = HostKey
        fields_mini = ("id", "asset", "asset_display", "host", "port", "via", "fingerprint")
        fields_small = (
            *fields_mini, "key_type", "has_changed", "refused_fingerprint", "date_refused", "date_created", "date_last_seen",
            "created_by",
        )  # fmt: skip
        fields = (*fields_small, "public_key", "org_id", "org_name")
        read_only_fields = fields

    def get_has_changed(self, host_key: HostKey) -> bool:
        return bool(host_key.refused_fingerprint)


class StarredAssetField(OrgOwnedField):
    """An asset of any organization to which the caller belongs; others are answered like those that do not exist (K16)."""

    def get_queryset(self) -> QuerySet[Any]:
        rows = super().get_queryset()
        actor = self.context.get("actor")
        return rows if actor is None or actor.is_super_auditor else rows.filter(org_id__in=actor.org_ids)


class FavoriteAssetSerializer(ResourceSerializer):
    asset = StarredAssetField(Asset, label=gettext_lazy("Asset"))

    class Meta:
        model = FavoriteAsset
        fields = ("id", "asset")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return attrs  # a star that is there already stays


class AssetIdsSerializer(BodySerializer):
    """`{"assets": [ids]}`."""

    assets = OrgOwnedList(Asset)


class NodeIdsSerializer(BodySerializer):
    """`{"nodes": [ids]}`."""

    nodes = OrgOwnedList(Node)
