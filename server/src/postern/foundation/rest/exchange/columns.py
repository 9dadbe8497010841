"""The columns of a file: fields, titles and cell values."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from django.utils.encoding import force_str
from django.utils.translation import gettext as _
from rest_framework import serializers

from postern.foundation.rest.exchange.cells import PLAIN_TYPES, Cell, cell_of

Field = serializers.Field[Any, Any, Any, Any]

REQUIRED_MARK: Final = "*"


def titles_of(fields: Mapping[str, Field], elsewhere: Mapping[str, str] | None = None) -> dict[str, str]:
    """Field name → column title: the label, `*` in front of required fields, `label (name)` where two labels are equal.

    Writable fields keep their plain label, because an import recognizes them by it. `elsewhere` maps the labels of
    other fields of an import to their names.
    """
    owners: dict[str, str] = dict(elsewhere or {})
    in_order = sorted(fields.items(), key=lambda item: bool(item[1].read_only))
    for name, field in in_order:
        owners.setdefault(label_of(name, field), name)
    titles: dict[str, str] = {}
    for name, field in fields.items():
        label = label_of(name, field)
        title = label if owners[label] == name else distinct_label(name, field)
        titles[name] = f"{REQUIRED_MARK}{title}" if field.required else title
    return titles


def label_of(name: str, field: Field) -> str:
    """The label in the current language, on one line."""
    return " ".join(force_str(field.label or name).split()) or name


def distinct_label(name: str, field: Field) -> str:
    """A title that no other column has."""
    if name.endswith("_display"):
        return _("%(label)s (names)") % {"label": label_of(name, field)}
    return f"{label_of(name, field)} ({name})"


def row_reader(serializer: serializers.Serializer[Any], names: Sequence[str]) -> Callable[[Any], list[Cell]]:
    """A function that returns the cells of a row for the named fields, with the values that the list shows.

    Write-only fields give empty cells.
    """
    show = serializer.to_representation

    def cells(row: Any) -> list[Cell]:
        values = map(show(row).get, names)
        return [value if value.__class__ in PLAIN_TYPES else cell_of(value) for value in values]

    return cells


def narrowed(names: Iterable[str], allowed: Sequence[str] | None) -> list[str]:
    """The names that a viewset's `exchange_fields` allows; None allows all."""
    return [name for name in names if allowed is None or name in allowed]
