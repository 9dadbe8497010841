"""`assets/labels/`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.assets.labels import actions
from postern.apps.assets.tree.models import Asset, Label
from postern.apps.assets.tree.rights import ADMIN_ONLY
from postern.foundation.caller.scope import writable
from postern.foundation.rest import labels as field_labels
from postern.foundation.rest.naming import by, itself, name_in
from postern.foundation.rest.related import Amount
from postern.foundation.rest.relations import OrgOwnedList
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ResourceViewSet

#: How an import may name an asset.
ASSET_NAMES: Final = by(("hostname", itself), ("hostname", name_in), ("ip", itself))


class LabelSerializer(ResourceSerializer):
    assets = OrgOwnedList(Asset, named=ASSET_NAMES, required=False, label=gettext_lazy("Assets"))
    asset_count = serializers.IntegerField(read_only=True, label=field_labels.label_of("assets_amount"))

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


class LabelViewSet(ResourceViewSet):
    queryset = Label.objects.all()
    serializer_class = LabelSerializer
    examples = {"name": "env", "value": "example"}
    rights = ADMIN_ONLY
    filter_fields = ("name", "value")
    search_fields = ("name", "value")
    ordering_fields = ("name", "value", "asset_count", "date_created")
    amounts = {"asset_count": Amount(Asset.labels.through, "label_id", of="assets")}

    def visible_rows(self) -> QuerySet[Label]:
        rows = cast("QuerySet[Label]", super().visible_rows())
        carriers = Prefetch("assets", queryset=Asset.objects.only("pk").order_by())
        return rows.prefetch_related(carriers)

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        super().hold_rows(rows, values, deleting=deleting)
        actions.hold_labelled(
            [label.pk for label in rows], [asset.pk for item in values for asset in item.get("assets") or ()]
        )

    def create_object(self, data: dict[str, Any]) -> Label:
        return actions.create_label(actor=self.actor, org_id=writable(self.scope), values=data)

    def update_object(self, instance: Label, data: dict[str, Any]) -> Label:
        return actions.update_label(actor=self.actor, label=instance, values=data)

    def delete_object(self, instance: Label) -> None:
        actions.delete_label(actor=self.actor, label=instance)
