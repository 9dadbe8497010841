"""The example row of an import template. It can be imported as it is and gives nobody access to anything."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from rest_framework import serializers

from postern.foundation.rest.exchange.cells import Cell, cell_of
from postern.foundation.rest.exchange.columns import Field, label_of
from postern.foundation.rest.exchange.importing import is_list
from postern.foundation.rest.formats import DISPLAY_FORMAT
from postern.foundation.rest.naming import joined

#: How many numbers are tried to make the example's names unique.
_TRIES: Final = 20
_MAIL: Final = "name@example.com"


def row(view: Any, fields: Mapping[str, Field], names: Sequence[str]) -> list[Cell]:
    """One cell for each name, from the viewset's `examples` or derived from the field.

    Optional fields without a default stay empty.
    """
    examples: Mapping[str, Any] = view.examples
    values = {name: examples[name] if name in examples else _value(view, fields[name]) for name in names}
    values = {name: _read(view, value) for name, value in values.items()}
    filled = {name: value for name, value in values.items() if value is not None and value != ""}
    filled = _free(view, fields, filled)
    return [_cell(fields[name], filled.get(name)) for name in names]


def _read(view: Any, value: Any) -> Any:
    value = value(view) if callable(value) else value
    return str(value) if isinstance(value, Promise) else value


def _cell(field: Field, value: Any) -> Cell:
    """The value as people write it: lists as text, choices by their label, booleans as yes or no."""
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if isinstance(value, list) and is_list(field):
        choices: Mapping[Any, Any] = getattr(field, "choices", {})
        text = joined(choices.get(item, item) for item in value)
        return cell_of(value) if text is None else text
    if isinstance(field, serializers.ChoiceField) and not isinstance(field, serializers.MultipleChoiceField):
        return str(field.choices.get(value, value)) if value is not None else None
    return cell_of(value)


def _value(view: Any, field: Any) -> Any:
    if isinstance(field, serializers.BooleanField | serializers.ChoiceField) and not field.write_only:
        default = _default(view, field)
        if default is None and field.required and isinstance(field, serializers.ChoiceField):
            return next(iter(field.choices), None)
        return default
    if not field.required:
        return None
    if isinstance(field, serializers.RelatedField | serializers.ManyRelatedField):
        return _first(field)
    if isinstance(field, serializers.IntegerField | serializers.FloatField):
        return field.min_value or 1
    if isinstance(field, serializers.DateTimeField):
        return (timezone.localtime() + timedelta(days=1)).strftime(DISPLAY_FORMAT)
    if isinstance(field, serializers.EmailField):
        return _MAIL
    if isinstance(field, serializers.CharField):
        return label_of(field.field_name or "", field)[: field.max_length]
    return None


def _default(view: Any, field: Any) -> Any:
    """The default of a row when the cell stays empty."""
    if field.default is not serializers.empty and not callable(field.default):
        return field.default
    columns = view.get_queryset().model._meta.concrete_fields  # noqa: SLF001 - the documented model API
    column = next((candidate for candidate in columns if candidate.name == field.source), None)
    default = column.get_default() if column is not None and column.has_default() else None
    if isinstance(field, serializers.MultipleChoiceField):
        return default if isinstance(default, list) else None
    choices = getattr(field, "choices", None)
    return None if choices is not None and default not in choices else default


def _first(field: Any) -> Any:
    """The name of the first row that the field may refer to; None when there is none."""
    child = field.child_relation if isinstance(field, serializers.ManyRelatedField) else field
    rows: Any = child.get_queryset()
    first_row = rows.order_by("pk").first()
    if first_row is None:
        return None
    name = getattr(first_row, "full_value", None) or str(first_row)
    naming = getattr(field, "named", None)
    if isinstance(child, serializers.SlugRelatedField):
        value: Any = getattr(first_row, child.slug_field or "pk")
    elif naming is not None and len(naming.find(rows, [name]).get(name, ())) == 1:
        value = name
    else:
        value = str(first_row.pk)
    return [value] if isinstance(field, serializers.ManyRelatedField) else value


def _free(view: Any, fields: Mapping[str, Field], values: dict[str, Any]) -> dict[str, Any]:
    """The values, with a number appended to the names if a row with these names exists."""
    texts = [name for name, value in values.items() if isinstance(value, str) and _is_name(fields[name])]
    for number in range(1, _TRIES):
        tried = {**values, **{name: _numbered(values[name], number) for name in texts}} if number > 1 else values
        serializer = view.get_serializer(data=tried)
        if serializer.is_valid() or not set(serializer.errors) & set(texts):
            return tried
    return values


def _is_name(field: Any) -> bool:
    flat = isinstance(field, serializers.CharField) and not isinstance(field, serializers.IPAddressField)
    return flat and field.required and field.field_name != "ip"


def _numbered(text: str, number: int) -> str:
    name, at, host = text.partition("@")
    return f"{name}-{number}{at}{host}"
