"""`assets/host-keys/`."""

from typing import cast

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.assets.host_keys import actions as host_keys
from postern.apps.assets.host_keys.models import HostKey
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import DeleteMixin, ReadOnlyViewSet


class HostKeySerializer(ResourceSerializer):
    asset_display = serializers.CharField(
        source="asset.hostname", default="", read_only=True, label=gettext_lazy("Asset")
    )
    gateway = serializers.UUIDField(source="gateway_id", read_only=True, allow_null=True, label=gettext_lazy("Gateway"))
    has_changed = serializers.SerializerMethodField(label=gettext_lazy("Changed"))

    class Meta:
        model = HostKey
        fields_mini = ("id", "asset", "asset_display", "host", "port", "via", "fingerprint")
        fields_small = (
            *fields_mini, "key_type", "has_changed", "refused_fingerprint", "date_refused", "date_created", "date_last_seen",
            "created_by", "gateway",
        )  # fmt: skip
        fields = (*fields_small, "public_key", "org_id", "org_name")
        read_only_fields = fields

    def get_has_changed(self, host_key: HostKey) -> bool:
        return bool(host_key.refused_fingerprint)


class HostKeyViewSet(DeleteMixin, ReadOnlyViewSet):
    """List pinned host keys and forget them, so that the next connection pins a new key."""

    queryset = HostKey.objects.all()
    serializer_class = HostKeySerializer
    rights = {"list": Right.ORG_AUDITOR, "retrieve": Right.ORG_AUDITOR, "destroy": Right.ORG_ADMIN}
    filter_fields = {
        "asset": "asset",
        "gateway": "gateway_id",
        "host": "host",
        "port": "port",
        "fingerprint": "fingerprint",
    }
    search_fields = ("asset__hostname", "host", "fingerprint")
    ordering_fields = ("host", "port", "date_created", "date_last_seen", "date_refused")

    def visible_rows(self) -> QuerySet[HostKey]:
        return cast("QuerySet[HostKey]", super().visible_rows()).select_related("asset")

    def delete_object(self, instance: HostKey) -> None:
        host_keys.forget_host_key(actor=self.actor, host_key=instance)
