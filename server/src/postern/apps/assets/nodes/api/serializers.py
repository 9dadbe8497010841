"""Serializers of nodes (contract/assets.md)."""

from typing import Any

from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.assets.tree.models import Asset, Node
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.relations import OrgOwnedList
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.text import PlainField


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
        return attrs  # the action checks that sibling names are unique, under the lock of the tree


class ChildNodeSerializer(NodeSerializer):
    """For creating a child; the client may choose the id."""

    id = serializers.UUIDField(required=False)


class AssetIdsSerializer(BodySerializer):
    """`{"assets": [ids]}`."""

    assets = OrgOwnedList(Asset)


class NodeIdsSerializer(BodySerializer):
    """`{"nodes": [ids]}`."""

    nodes = OrgOwnedList(Node)
