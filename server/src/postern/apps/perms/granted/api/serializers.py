"""Serializers of granted assets."""

from rest_framework import serializers

from postern.apps.assets.models import Asset
from postern.foundation.rest.related import prefetched
from postern.foundation.rest.serializers import ResourceSerializer


class GrantedAssetSerializer(ResourceSerializer):
    """An asset for a user who may reach it."""

    platform = serializers.CharField(source="platform.name", read_only=True)
    protocols = serializers.SerializerMethodField()
    domain = serializers.SerializerMethodField()

    class Meta:
        model = Asset
        fields = (
            "id",
            "hostname",
            "ip",
            "protocols",
            "os",
            "domain",
            "platform",
            "comment",
            "org_id",
            "is_active",
            "org_name",
        )
        read_only_fields = fields

    def get_protocols(self, asset: Asset) -> list[str]:
        return [str(row) for row in prefetched(asset, "protocol_rows")]

    def get_domain(self, asset: Asset) -> str | None:
        return str(asset.domain_id) if asset.domain_id else None
