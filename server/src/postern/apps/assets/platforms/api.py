"""`assets/platforms/`."""

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.assets.platforms import actions, queries
from postern.apps.assets.platforms.models import Platform, PlatformBase
from postern.foundation.rest import labels
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ResourceViewSet


class PlatformMetaSerializer(BodySerializer):
    """Settings of Windows platforms."""

    security = serializers.ChoiceField(
        choices=["rdp", "nla", "tls", "any"], required=False, label=labels.label_of("security")
    )
    console = serializers.ChoiceField(choices=["true", "false"], required=False, label=labels.label_of("console"))


class PlatformSerializer(ResourceSerializer):
    meta = PlatformMetaSerializer(required=False, allow_null=True, label=gettext_lazy("Meta"))
    asset_count = serializers.SerializerMethodField(label=labels.label_of("assets_amount"))

    class Meta:
        model = Platform
        fields_mini = ("id", "name", "internal")
        fields_small = (*fields_mini, "base", "charset", "comment")
        fields = (*fields_small, "meta", "asset_count")
        read_only_fields = ("id", "internal")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        base = attrs.get("base", getattr(self.instance, "base", PlatformBase.LINUX))
        if base != PlatformBase.WINDOWS and (attrs.get("meta") or getattr(self.instance, "meta", None)):
            attrs["meta"] = None  # also when the base changes and the request does not name the settings
        return attrs

    def get_asset_count(self, platform: Platform) -> int | None:
        """Number of assets in all organizations; null for callers who do not administer all organizations."""
        count: int | None = getattr(platform, "asset_count", None)
        return count


class PlatformViewSet(ResourceViewSet):
    """Platforms are shared by all organizations: administrators may read them, only system administrators may write."""

    importable = False

    queryset = Platform.objects.all()
    serializer_class = PlatformSerializer
    made_in_organization = changed_in_organization = False
    rights = {
        "list": Right.ORG_ADMIN,
        "retrieve": Right.ORG_ADMIN,
        "create": Right.SUPER_USER,
        "update": Right.SUPER_USER,
        "destroy": Right.SUPER_USER,
    }
    filter_fields = ("name", "base")
    search_fields = ("name",)
    ordering_fields = ("name", "base", "id")

    def visible_rows(self) -> QuerySet[Platform]:
        return Platform.objects.all()

    def attach_more(self, rows: list[Any]) -> None:
        """The numbers of assets. They tell about all organizations, so only system administrators get them."""
        if not self.actor.is_super_user:
            return
        counts = queries.asset_counts(rows)
        for row in rows:
            row.asset_count = counts.get(row.pk, 0)

    def create_object(self, data: dict[str, Any]) -> Platform:
        return actions.create_platform(actor=self.actor, values=data)

    def update_object(self, instance: Platform, data: dict[str, Any]) -> Platform:
        return actions.update_platform(actor=self.actor, platform=instance, values=data)

    def delete_object(self, instance: Platform) -> None:
        actions.delete_platform(actor=self.actor, platform=instance)
