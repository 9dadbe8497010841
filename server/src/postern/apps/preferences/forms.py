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
    """A JSON object, also as its text. Its value is the text, as the setting is stored."""

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
    """Some of the choices, each once, in an order; also as a text with commas. Its value is that text."""

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
    """A value as the API shows it: the object of a mapping and the list of an order instead of their text."""
    if REGISTRY[name].kind is Kind.ORDER:
        return order_of(str(value))
    return json.loads(str(value)) if REGISTRY[name].kind is Kind.MAPPING else value


def _field(one: Preference) -> serializers.Field[Any, Any, Any, Any]:
    # PUT may omit optional fields: an omitted setting keeps its value.
    options: dict[str, Any] = {"label": one.label, "help_text": one.help_text or None, "required": one.required}
    if one.kind is Kind.BOOLEAN:
        return serializers.BooleanField(**options)
    if one.kind is Kind.INTEGER:
        return serializers.IntegerField(min_value=one.min_value, max_value=one.max_value, **options)
    if one.kind is Kind.CHOICE:
        return serializers.ChoiceField(choices=one.choices, **options)
    if one.kind is Kind.ORDER:
        return OrderField(choices=one.choices, **options)
    text_options = {**options, "max_length": one.max_length, "allow_blank": not one.required}
    if one.kind is Kind.URL:
        return serializers.URLField(allow_null=not one.required, validators=one.validators, **text_options)
    if one.kind is Kind.MAPPING:
        return MappingField(validators=one.validators, max_length=one.max_length or 0, **options)
    if one.is_secret:  # spaces at its ends belong to a password; null removes the stored one
        return serializers.CharField(write_only=True, trim_whitespace=False, allow_null=True, **text_options)
    kind = PlainTextField if one.kind is Kind.TEXT else PlainField
    return kind(allow_null=one.default is None, validators=one.validators, **text_options)


@cache
def serializer_for(category: str, preferences: tuple[Preference, ...]) -> type[serializers.Serializer[Any]]:
    """The serializer class of one settings form."""
    fields: dict[str, Any] = {one.name: _field(one) for one in preferences}
    return type(f"{category.title().replace('_', '')}SettingsSerializer", (BodySerializer,), fields)
