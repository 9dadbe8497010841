"""`assets/labels/`."""

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.assets.labels.actions import LABELS
from postern.apps.assets.tree.models import Asset, Label
from postern.foundation.rest import labels as field_labels
from postern.foundation.rest.naming import by, itself, name_in
from postern.foundation.rest.plain import PlainResourceViewSet
from postern.foundation.rest.related import Amount
from postern.foundation.rest.relations import OrgOwnedList
from postern.foundation.rest.rights import ORG_ADMIN_ONLY
from postern.foundation.rest.serializers import ResourceSerializer

#: Columns by which an import file may refer to an asset.
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
            raise serializers.ValidationError(
                _("Names and values of labels cannot contain a colon (:) or a number sign (#).")
            )
        return value


class LabelViewSet(PlainResourceViewSet):
    queryset = Label.objects.all()
    serializer_class = LabelSerializer
    examples = {"name": "env", "value": "example"}
    writes = LABELS
    rights = ORG_ADMIN_ONLY
    filter_fields = ("name", "value")
    search_fields = ("name", "value")
    ordering_fields = ("name", "value", "asset_count", "date_created")
    amounts = {"asset_count": Amount(Asset.labels.through, "label_id", of="assets")}
