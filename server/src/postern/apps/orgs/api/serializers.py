"""Organizations on the wire."""

from rest_framework import serializers

from postern.apps.orgs.models import Organization
from postern.foundation.rest.serializers import ResourceSerializer


class OrganizationSerializer(ResourceSerializer):
    """An organization. `is_root` is always false here: the root organization is not stored."""

    is_default = serializers.BooleanField(read_only=True)
    is_root = serializers.BooleanField(read_only=True)

    class Meta:
        model = Organization
        fields_mini = ("id", "name")
        fields_small = (*fields_mini, "is_default", "is_root", "date_created", "comment", "created_by")
        fields = fields_small
        read_only_fields = ("created_by", "date_created")
