"""The condition that one term of a search sets on a list.

A term is looked for in every search column, and in a large table each column costs a comparison for each row. Columns
that cannot contain the term are therefore left out, and columns with choices are compared with the choices that do.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models import Q

_PART_OF_UUID: Final = re.compile(r"[0-9a-f-]*[0-9a-f][0-9a-f-]*", re.IGNORECASE)
_NO_ROW: Final = Q(pk__in=())


def occurs_in(term: str, columns: Iterable[str], model: type[models.Model]) -> Q:
    """Whether the term occurs in one of the columns (ORM lookups of the model), ignoring case."""
    condition = Q()
    for lookup in columns:
        field = column_of(model, lookup)
        if isinstance(field, models.UUIDField) and _PART_OF_UUID.fullmatch(term) is None:
            continue
        values = _choices_with(term, field)
        if values is None:
            condition |= Q((f"{lookup}__icontains", term))
        elif values:
            condition |= Q((f"{lookup}__in", values))
    return condition or _NO_ROW


def column_of(model: type[models.Model], lookup: str) -> "models.Field[Any, Any] | None":
    """The column at the end of a lookup; for a relation the primary key of its target."""
    field: Any = None
    for part in lookup.split("__"):
        try:
            field = model._meta.pk if part == "pk" else model._meta.get_field(part)  # noqa: SLF001 - the documented model API
        except FieldDoesNotExist:
            return field if isinstance(field, models.Field) else None
        if field is not None and field.is_relation and field.related_model is not None:
            model = field.related_model
    if field is not None and field.is_relation:
        return model._meta.pk  # noqa: SLF001 - the documented model API
    return field if isinstance(field, models.Field) else None


def _choices_with(term: str, field: "models.Field[Any, Any] | None") -> list[Any] | None:
    """The stored values of a column with choices that contain the term; None for a column without choices."""
    if not isinstance(field, models.CharField) or not field.choices:
        return None
    wanted = term.casefold()
    return [value for value, _label in field.flatchoices if wanted in str(value).casefold()]
