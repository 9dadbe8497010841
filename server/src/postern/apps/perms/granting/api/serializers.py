"""Serializers of permissions of any kind (contract/perms.md)."""

import copy
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from postern.apps.perms.granting.kind import Kind
from postern.apps.perms.granting.links import Link
from postern.foundation.rest import labels
from postern.foundation.rest.naming import Naming, by, itself
from postern.foundation.rest.relations import OrgOwnedField
from postern.foundation.rest.serializers import ResourceSerializer


class PermissionSerializer(ResourceSerializer):
    """A permission, whose end is later than its start. Subclasses declare the fields and their order."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        start = attrs.get("date_start", getattr(self.instance, "date_start", None))
        end = attrs.get("date_expired", getattr(self.instance, "date_expired", None))
        if start and end and end <= start:
            raise serializers.ValidationError({"date_expired": [_("The end date must be later than the start date.")]})
        return attrs


def link_serializer(
    kind: Kind[Any], link: Link, *, naming: Naming, display: serializers.Field[Any, Any, Any, Any], label: Any
) -> type[ResourceSerializer]:
    """The serializer of one link table: id, the object, the permission, and the display names of both.

    `naming`: how imports name an object. `display`: the display name of an object. `label`: of the permission.
    """
    parent, object_display = kind.parent, f"{link.column}_display"

    class Description:
        model = link.table
        fields = ("id", link.column, object_display, parent, f"{parent}_display")

    class RelationSerializer(ResourceSerializer):
        def get_fields(self) -> dict[str, Any]:
            ends = {
                link.column: OrgOwnedField(link.target, named=naming),
                object_display: copy.deepcopy(display),
            }
            labels.improve(ends)
            return {**super().get_fields(), **ends}

        def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
            return attrs  # adding an existing link is not an error

        def build_field(self, field_name: str, info: Any, model_class: Any, nested_depth: int) -> Any:
            if field_name == object_display:  # replaced in get_fields
                return serializers.CharField, {"read_only": True, "source": "pk"}
            return super().build_field(field_name, info, model_class, nested_depth)

    declared = {
        "Meta": Description,
        parent: OrgOwnedField(kind.model, named=by(("name", itself)), label=label),
        f"{parent}_display": serializers.CharField(source=f"{parent}.name", read_only=True),
    }
    return type(f"{link.table.__name__}Serializer", (RelationSerializer,), declared)
