"""Start-up check of the column names that a list declares. Otherwise a wrong name fails in the first request that uses
it.
"""

from collections.abc import Iterator
from typing import Any

from django.core.exceptions import FieldError
from django.db import models

from postern.foundation.rest.filters import filter_lookups, ordering_columns
from postern.foundation.rest.related import Amount


def unknown_names(view: Any) -> Iterator[str]:
    """Yield a message for each unknown name in `filter_fields`, `search_fields`, `ordering_fields`, `default_order` and
    `date_range_field`.

    Names of `amounts` count as columns; the tables and keys that `amounts` name are checked too.
    """
    rows: models.QuerySet[Any] | None = getattr(view, "queryset", None)
    amounts = getattr(view, "amounts", {})
    for attribute, name in _names(view):
        if name not in amounts and (rows is None or not _is_column(rows, name)):
            yield f"{attribute} names {name!r}, which is no column"
    for amount in amounts.values():
        yield from _unknown_of(amount)


def _names(view: Any) -> Iterator[tuple[str, str]]:
    yield from (("filter_fields", lookup) for lookup in filter_lookups(view).values())
    yield from (("search_fields", lookup) for lookup in getattr(view, "search_fields", None) or ())
    if getattr(view, "ordering_fields", None) is not None:
        yield from (("ordering_fields", name) for name in ordering_columns(view).values())
    order = getattr(view, "default_order", None) or ()
    yield from (("default_order", ordering.removeprefix("-")) for ordering in order if isinstance(ordering, str))
    if (column := getattr(view, "date_range_field", None)) is not None:
        yield "date_range_field", column


def _unknown_of(amount: Amount) -> Iterator[str]:
    try:
        rows = amount.model._base_manager.all()  # noqa: SLF001 - the documented model API
    except LookupError:
        yield f"amounts names {amount.table!r}, which is no table"
        return
    if not _is_column(rows, amount.key):
        yield f"amounts names {amount.key!r}, which is no column"


def _is_column(rows: models.QuerySet[Any], name: str) -> bool:
    """Whether `name` is a lookup path to a column, with at most one comparison (such as `__gte`) at its end."""
    query = rows.query
    try:
        _path, _field, targets, rest = query.names_to_path(name.split("__"), rows.model._meta)  # noqa: SLF001 - the documented model API
    except FieldError:
        return False
    return not rest or (len(rest) == 1 and targets[-1].get_lookup(rest[0]) is not None)
