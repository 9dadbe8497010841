"""The condition that one term of a search sets on a list.

A term is looked for in every search column, and in a large table each column costs a comparison for each row. Columns
that cannot contain the term are therefore left out, and columns with choices are compared with the choices that do.
In a long list, the columns of a related row (`user__name`) are searched in the related table first. Where few of its
rows contain the term, the list is limited to these; a join would look up and compare a related row again for each row
that refers to it. Where many do, the join soon fills a page.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models import Q

_PART_OF_UUID: Final = re.compile(r"[0-9a-f-]*[0-9a-f][0-9a-f-]*", re.IGNORECASE)
#: At most this many related rows with the term are named in the condition.
_NAMED: Final = 100
_NO_ROW: Final = Q(pk__in=())


def occurs_in(term: str, columns: Iterable[str], model: type[models.Model], *, related_first: bool = False) -> Q:
    """Whether the term occurs in one of the columns (ORM lookups of the model), ignoring case.

    `related_first`: columns of related rows are searched in their own tables, now.
    """
    condition = Q()
    names_of_related: dict[str, list[str]] = {}
    for lookup in columns:
        name, _separator, rest = lookup.partition("__")
        if related_first and rest and _related_model(model, name) is not None:
            names_of_related.setdefault(name, []).append(rest)
        else:
            condition |= _occurs_in_column(term, lookup, model)
    for name, names in names_of_related.items():
        condition |= _occurs_in_related(term, name, names, model)
    return condition or _NO_ROW


def _occurs_in_column(term: str, lookup: str, model: type[models.Model]) -> Q:
    """The condition on one column; empty for a column that cannot contain the term."""
    field = column_of(model, lookup)
    if isinstance(field, models.UUIDField) and _PART_OF_UUID.fullmatch(term) is None:
        return Q()
    values = _choices_with(term, field)
    if values is None:
        return Q((f"{lookup}__icontains", term))
    return Q((f"{lookup}__in", values)) if values else Q()


def _occurs_in_related(term: str, name: str, names: list[str], model: type[models.Model]) -> Q:
    """The condition on the columns `names` of the rows to which the foreign key `name` refers."""
    there: Any = _related_model(model, name)
    rows = there._base_manager.filter(occurs_in(term, names, there))  # noqa: SLF001 - the documented model API
    keys = list(rows.values_list("pk", flat=True)[: _NAMED + 1])
    if len(keys) > _NAMED:
        return occurs_in(term, [f"{name}__{column}" for column in names], model)
    return Q((f"{name}__in", keys)) if keys else Q()


def reads_related(columns: Iterable[str], model: type[models.Model]) -> bool:
    """Whether one of the columns is in a row that the model refers to."""
    parts = (column.partition("__") for column in columns)
    return any(rest and _related_model(model, name) is not None for name, _separator, rest in parts)


def repeats_rows(lookup: str, model: type[models.Model]) -> bool:
    """Whether a condition on the lookup can yield a row several times, because it leads to several related rows."""
    name, _separator, rest = lookup.partition("__")
    there = _related_model(model, name)
    if there is not None:
        return bool(rest) and repeats_rows(rest, there)
    try:
        return name != "pk" and bool(model._meta.get_field(name).is_relation)  # noqa: SLF001 - the documented model API
    except FieldDoesNotExist:
        return False  # `icontains` and the like, behind the name of a column


def _related_model(model: type[models.Model], name: str) -> Any:
    """The model that this foreign key refers to; None for other columns."""
    try:
        field = model._meta.get_field(name)  # noqa: SLF001 - the documented model API
    except FieldDoesNotExist:
        return None
    return field.related_model if isinstance(field, models.ForeignKey) else None


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
