"""Serializers of settings forms, generated from the registry."""

from functools import cache
from typing import Any

from rest_framework import serializers

from postern.apps.preferences.registry import Kind, Preference
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.text import PlainField


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
    return PlainField(allow_null=one.default is None, **text_options)


@cache
def serializer_for(category: str, preferences: tuple[Preference, ...]) -> type[serializers.Serializer[Any]]:
    """The serializer class of one settings form."""
    fields: dict[str, Any] = {one.name: _field(one) for one in preferences}
    return type(f"{category.title()}SettingsSerializer", (BodySerializer,), fields)
