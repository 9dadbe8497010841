"""The row that shows how to fill an import template when the list has no row to show."""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from postern.foundation.rest.exchange.cells import Cell, cell_of
from postern.foundation.rest.exchange.columns import Field, label_of
from postern.foundation.rest.formats import DISPLAY_FORMAT


def sample(field: Field) -> Cell:
    """A cell of the right shape; empty for secrets and for what cannot be made up, such as ids of other objects."""
    if field.write_only and not isinstance(field, serializers.ChoiceField):
        return None
    return cell_of(_value(field))


def _value(field: Any) -> Any:
    if isinstance(field, serializers.MultipleChoiceField):
        return list(field.choices)[:1]
    if isinstance(field, serializers.ChoiceField):
        return next(iter(field.choices), None)
    if isinstance(field, serializers.BooleanField):
        return True
    if isinstance(field, serializers.IntegerField | serializers.FloatField):
        return field.min_value or 1
    if isinstance(field, serializers.DateTimeField) and field.required:
        return (timezone.localtime() + timedelta(days=1)).strftime(DISPLAY_FORMAT)
    if isinstance(field, serializers.ListField):
        default = field.default
        return default if isinstance(default, list) else None
    if isinstance(field, serializers.EmailField):
        return "name@example.com"
    if isinstance(field, serializers.CharField) and field.required:
        return label_of(field.field_name or "", field)[: field.max_length]
    return None
