"""Serializers of the licence."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from postern.foundation.rest.bodies import BodySerializer


class LicenceSerializer(serializers.Serializer[Any]):
    """The installed licence. Without a readable licence the texts are empty and the dates null."""

    corporation = serializers.CharField(read_only=True, label=_("Corporation"))
    subscription_id = serializers.CharField(read_only=True, label=_("Subscription ID"))
    edition = serializers.CharField(read_only=True, label=_("Edition"))
    date_issued = serializers.DateField(read_only=True, allow_null=True, label=_("Date issued"))
    date_expired = serializers.DateField(read_only=True, allow_null=True, label=_("Date expired"))
    asset_count = serializers.IntegerField(read_only=True, allow_null=True, label=_("Asset count"))
    is_valid = serializers.BooleanField(read_only=True, label=_("Is valid"))  # type: ignore[assignment]  # DRF takes declared fields off the class
    days_left = serializers.IntegerField(read_only=True, allow_null=True, label=_("Days left"))
    is_expired = serializers.BooleanField(read_only=True, label=_("Is expired"))
    is_expiring = serializers.BooleanField(read_only=True, label=_("Ends within a week"))
    message = serializers.CharField(read_only=True, label=_("Message"))


class LicenceFileSerializer(BodySerializer):
    """The uploaded file."""

    file = serializers.FileField(allow_empty_file=True, label=_("Licence file"))
