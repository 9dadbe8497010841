"""Serializers of settings forms, generated from the registry."""

import json
from functools import cache
from typing import Any

from django.utils.translation import gettext as now
from rest_framework import serializers

from postern.apps.preferences.declarations.preference import Kind, Preference, Value
from postern.apps.preferences.registry import REGISTRY
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.text import PlainField, PlainTextField


class MappingField(serializers.JSONField):
    """A JSON object, or its text. The validated value is the text, because the setting is stored as text."""

    def __init__(self, *, max_length: int, **more: Any) -> None:
        super().__init__(**more)
        self._max_length = max_length

    def to_internal_value(self, data: Any) -> Any:
        text = data if isinstance(data, str) else json.dumps(super().to_internal_value(data), ensure_ascii=False)
        if len(text) > self._max_length:
            raise serializers.ValidationError(
                now("Ensure this field has no more than %(number)d characters.") % {"number": self._max_length}
            )
        return text


class OrderField(serializers.ListField):
    """An ordered subset of the choices, without duplicates, or comma-separated text. The validated value is the text."""

    def __init__(self, *, choices: Any, **more: Any) -> None:
        super().__init__(child=serializers.ChoiceField(choices=choices), allow_empty=False, **more)

    def to_internal_value(self, data: Any) -> Any:
        named = super().to_internal_value(order_of(data) if isinstance(data, str) else data)
        if len(set(named)) != len(named):
            raise serializers.ValidationError(now("Each entry may be there once only."))
        return ",".join(named)


def order_of(text: str) -> list[str]:
    """The entries of an ordered setting."""
    return [part.strip() for part in text.split(",") if part.strip()]


def shown(name: str, value: Value) -> Any:
    """A value in the form of the API: an object for a mapping and a list for an order, instead of their text."""
    if REGISTRY[name].kind is Kind.ORDER:
        return order_of(str(value))
    return json.loads(str(value)) if REGISTRY[name].kind is Kind.MAPPING else value


def _field(setting: Preference) -> serializers.Field[Any, Any, Any, Any]:
    # PUT may omit optional fields: an omitted setting keeps its value.
    options: dict[str, Any] = {
        "label": setting.label,
        "help_text": setting.help_text or None,
        "required": setting.required,
    }
    if setting.kind is Kind.BOOLEAN:
        return serializers.BooleanField(**options)
    if setting.kind is Kind.INTEGER:
        return serializers.IntegerField(min_value=setting.min_value, max_value=setting.max_value, **options)
    if setting.kind is Kind.CHOICE:
        return serializers.ChoiceField(choices=setting.choices, **options)
    if setting.kind is Kind.ORDER:
        return OrderField(choices=setting.choices, **options)
    text_options = {**options, "max_length": setting.max_length, "allow_blank": not setting.required}
    if setting.kind is Kind.URL:
        return serializers.URLField(allow_null=not setting.required, validators=setting.validators, **text_options)
    if setting.kind is Kind.MAPPING:
        return MappingField(validators=setting.validators, max_length=setting.max_length or 0, **options)
    if setting.is_secret:  # a password may begin or end with spaces; null removes the stored secret
        return serializers.CharField(write_only=True, trim_whitespace=False, allow_null=True, **text_options)
    kind = PlainTextField if setting.kind is Kind.TEXT else PlainField
    return kind(allow_null=setting.default is None, validators=setting.validators, **text_options)


@cache
def serializer_for(category: str, preferences: tuple[Preference, ...]) -> type[serializers.Serializer[Any]]:
    """The serializer class of one settings form."""
    fields: dict[str, Any] = {setting.name: _field(setting) for setting in preferences}
    return type(f"{category.title().replace('_', '')}SettingsSerializer", (BodySerializer,), fields)
