"""Serializers of settings forms, generated from the registry."""

from functools import cache
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from postern.apps.preferences.declarations.preference import Category, Kind, Preference
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.text import PlainField, PlainTextField


def _field(one: Preference) -> serializers.Field[Any, Any, Any, Any]:
    # PUT may omit optional fields: an omitted setting keeps its value.
    options: dict[str, Any] = {"label": one.label, "help_text": one.help_text or None, "required": one.required}
    if one.kind is Kind.BOOLEAN:
        return serializers.BooleanField(**options)
    if one.kind is Kind.INTEGER:
        return serializers.IntegerField(min_value=one.min_value, max_value=one.max_value, **options)
    if one.kind is Kind.CHOICE:
        return serializers.ChoiceField(choices=one.choices, **options)
    text_options = {**options, "max_length": one.max_length, "allow_blank": not one.required}
    if one.kind is Kind.URL:
        return serializers.URLField(allow_null=not one.required, **text_options)
    if one.is_secret:  # spaces at its ends belong to a password
        return serializers.CharField(write_only=True, trim_whitespace=False, **text_options)
    kind = PlainTextField if one.kind is Kind.TEXT else PlainField
    return kind(allow_null=one.default is None, validators=one.validators, **text_options)


@cache
def serializer_for(category: str, preferences: tuple[Preference, ...]) -> type[serializers.Serializer[Any]]:
    """The serializer class of one settings form."""
    fields: dict[str, Any] = {one.name: _field(one) for one in preferences}
    return type(f"{category.title().replace('_', '')}SettingsSerializer", (BodySerializer,), fields)


class SettingStateSerializer(serializers.Serializer[Any]):
    """One field of a form: where its value comes from, and when a change takes effect."""

    name = serializers.CharField(read_only=True, label=_("Name"))
    category = serializers.ChoiceField(choices=[one.value for one in Category], read_only=True, label=_("Category"))
    section = serializers.CharField(read_only=True, label=_("Section"))
    is_long = serializers.BooleanField(read_only=True, label=_("Several lines"))
    effect = serializers.CharField(read_only=True, label=_("Takes effect"))
    is_secret = serializers.BooleanField(read_only=True, label=_("Secret"))
    is_set = serializers.BooleanField(read_only=True, label=_("Set"))
    variable = serializers.CharField(read_only=True, label=_("Environment variable"))
    set_by = serializers.CharField(read_only=True, label=_("Set by"))
    date_set = serializers.DateTimeField(read_only=True, allow_null=True, label=_("Date set"))


class FormStateSerializer(serializers.Serializer[Any]):
    """The version of the settings, and the fields of one form in their order."""

    version = serializers.IntegerField(read_only=True, label=_("Version"))
    settings = SettingStateSerializer(many=True, read_only=True, label=_("Settings"))


class UndoSerializer(BodySerializer):
    """The record of the audit log whose changes are undone."""

    record = serializers.UUIDField(label=_("Audit record"))
