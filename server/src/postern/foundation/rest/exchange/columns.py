"""The columns of a file: which fields, under which titles, and how their values are read from rows.

DRF reads a row field by field through several calls each; with ten thousand rows that is most of the cost. `row_reader` does the same once
for each column: a plain column of the model is read directly, everything else through the field itself, so that method fields, relations and
fields of one's own give exactly what the list shows. A serializer with a `to_representation` of its own is asked for the whole row.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from django.utils.encoding import force_str
from rest_framework import serializers
from rest_framework.fields import SkipField
from rest_framework.relations import PKOnlyObject

from postern.foundation.rest.exchange.cells import Cell, cell_of
from postern.foundation.rest.serializers import ResourceSerializer

Field = serializers.Field[Any, Any, Any, Any]
Reader = Callable[[Any], Cell]

REQUIRED_MARK: Final = "*"

#: `to_representation` of these does what the columns do one by one.
_PLAIN_SERIALIZERS: Final = frozenset({serializers.Serializer.to_representation, ResourceSerializer.to_representation})
#: What these give for a value of a model is what the column holds, as a cell.
_PLAIN_FIELDS: Final[Mapping[type[Any], Callable[[Any], Cell]]] = {
    serializers.CharField: str,
    serializers.EmailField: str,
    serializers.RegexField: str,
    serializers.SlugField: str,
    serializers.URLField: str,
    serializers.UUIDField: str,
    serializers.IntegerField: int,
    serializers.BooleanField: bool,
}


def titles_of(fields: Mapping[str, Field], elsewhere: Mapping[str, str] | None = None) -> dict[str, str]:
    """Field name → title of its column: the label, `*` in front when required, `label (name)` where a label is there twice.

    Fields that can be written keep their label, because an import finds them by it. `elsewhere` maps labels that other
    fields of an import have to their names.
    """
    owners: dict[str, str] = dict(elsewhere or {})
    in_order = sorted(fields.items(), key=lambda item: bool(item[1].read_only))
    for name, field in in_order:
        owners.setdefault(label_of(name, field), name)
    found: dict[str, str] = {}
    for name, field in fields.items():
        label = label_of(name, field)
        title = label if owners[label] == name else distinct_label(name, field)
        found[name] = f"{REQUIRED_MARK}{title}" if field.required else title
    return found


def label_of(name: str, field: Field) -> str:
    """The label in the present language, on one line."""
    return " ".join(force_str(field.label or name).split()) or name


def distinct_label(name: str, field: Field) -> str:
    """A title that no other column has."""
    return f"{label_of(name, field)} ({name})"


def row_reader(serializer: serializers.Serializer[Any], names: Sequence[str]) -> Callable[[Any], list[Cell]]:
    """A function from a row of the serializer to the cells of the named fields; a write-only field is an empty cell."""
    fields = serializer.fields
    if type(serializer).to_representation not in _PLAIN_SERIALIZERS:
        return _through_representation(serializer, names)
    readers = [_reader(fields[name]) for name in names]
    return lambda row: [read(row) for read in readers]


def _through_representation(
    serializer: serializers.Serializer[Any], names: Sequence[str]
) -> Callable[[Any], list[Cell]]:
    def cells(row: Any) -> list[Cell]:
        shown = serializer.to_representation(row)
        return [cell_of(shown.get(name)) for name in names]

    return cells


def _reader(field: Field) -> Reader:
    if field.write_only:
        return lambda _row: None
    convert = _PLAIN_FIELDS.get(type(field))
    if convert is not None and _is_column(field):
        return _column_reader(operator.attrgetter(str(field.source)), convert)
    return _field_reader(field)


def _is_column(field: Field) -> bool:
    model = getattr(getattr(field.parent, "Meta", None), "model", None)
    columns = {column.attname for column in model._meta.concrete_fields} if model else set()  # noqa: SLF001 - the documented model API
    return field.source in columns


def _column_reader(read: Callable[[Any], Any], convert: Callable[[Any], Cell]) -> Reader:
    def cell(row: Any) -> Cell:
        value = read(row)
        return None if value is None else convert(value)

    return cell


def _field_reader(field: Field) -> Reader:
    get_attribute, to_representation = field.get_attribute, field.to_representation

    def cell(row: Any) -> Cell:
        try:
            value = get_attribute(row)
        except SkipField:
            return None
        # A relation is a stand-in that holds nothing but the key.
        known = value.pk if isinstance(value, PKOnlyObject) else value
        return None if known is None else cell_of(to_representation(value))

    return cell


def narrowed(names: Iterable[str], allowed: Sequence[str] | None) -> list[str]:
    """The names that a viewset's `exchange_fields` lets through; None lets all."""
    return [name for name in names if allowed is None or name in allowed]
