"""The columns of a file: which fields, under which titles, and what their cells hold."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from django.utils.encoding import force_str
from django.utils.translation import gettext as _
from rest_framework import serializers

from postern.foundation.rest.exchange.cells import PLAIN_TYPES, Cell, cell_of

Field = serializers.Field[Any, Any, Any, Any]

REQUIRED_MARK: Final = "*"


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
    if name.endswith("_display"):
        return _("%(label)s (names)") % {"label": label_of(name, field)}
    return f"{label_of(name, field)} ({name})"


def row_reader(serializer: serializers.Serializer[Any], names: Sequence[str]) -> Callable[[Any], list[Cell]]:
    """A function from a row to the cells of the named fields, which hold what the list shows. A write-only field is an empty cell."""
    show = serializer.to_representation

    def cells(row: Any) -> list[Cell]:
        found = map(show(row).get, names)
        return [value if value.__class__ in PLAIN_TYPES else cell_of(value) for value in found]

    return cells


def narrowed(names: Iterable[str], allowed: Sequence[str] | None) -> list[str]:
    """The names that a viewset's `exchange_fields` lets through; None lets all."""
    return [name for name in names if allowed is None or name in allowed]
