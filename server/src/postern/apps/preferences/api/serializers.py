"""Serializers of the settings views."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from postern.apps.preferences.declarations.preference import Category
from postern.foundation.rest.bodies import BodySerializer


class SettingStateSerializer(serializers.Serializer[Any]):
    """One field of a form: the origin of its value, and when a change takes effect."""

    name = serializers.CharField(read_only=True, label=_("Name"))
    category = serializers.ChoiceField(
        choices=[choice.value for choice in Category], read_only=True, label=_("Category")
    )
    section = serializers.CharField(read_only=True, label=_("Section"))
    is_long = serializers.BooleanField(read_only=True, label=_("Several lines"))
    effect = serializers.CharField(read_only=True, label=_("Takes effect"))
    is_secret = serializers.BooleanField(read_only=True, label=_("Secret"))
    is_set = serializers.BooleanField(read_only=True, label=_("Set"))
    variable = serializers.CharField(read_only=True, label=_("Environment variable"))
    set_by = serializers.CharField(read_only=True, label=_("Set by"))
    date_set = serializers.DateTimeField(read_only=True, allow_null=True, label=_("Date set"))
    is_broken = serializers.BooleanField(read_only=True, label=_("Stored value cannot be used"))


class FormStateSerializer(serializers.Serializer[Any]):
    """The version of the settings, and the fields of one form in order."""

    version = serializers.IntegerField(read_only=True, label=_("Version"))
    settings = SettingStateSerializer(many=True, read_only=True, label=_("Settings"))


class UndoSerializer(BodySerializer):
    """The audit record whose changes are to be undone."""

    record = serializers.UUIDField(label=_("Audit record"))
