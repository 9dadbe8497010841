"""The query parameters of lists: declared filters, `search`, `order`, `ids`, `spm` and date ranges.

Undeclared columns cannot be queried (K22: filters and orders work on declared columns only). A viewset declares

- `filter_fields`: names, or a mapping name → ORM lookup (`{"username": "user__username"}`); exact matches;
- `own_filters`: names of filters that `visible_rows` itself applies;
- `described_filters`: further filters of the view, for the API description only; they do not narrow a bulk write;
- `search_fields`: ORM lookups; the search text is split at blanks and commas, and each term must occur in one of them;
- `ordering_fields`: names; by default every readable serializer field that is a column of the model;
- `default_order`: tuple of ORM names and expressions;
- `date_range_field`: the column that `date_from` and `date_to` limit.

A name that is not a column stops the start of the server (`declared_names`).
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from django.core.exceptions import ValidationError as ModelValidationError
from django.db import models
from django.db.models import Q
from django.db.models.expressions import Col
from django.db.models.lookups import Exact
from django.db.models.sql.where import AND
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.filters import BaseFilterBackend
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from postern.foundation.rest import counts, keyed, selections
from postern.foundation.rest.by_key import chosen
from postern.foundation.rest.formats import DISPLAY_FORMAT
from postern.foundation.rest.instants import bounded
from postern.foundation.rest.related import Amount
from postern.foundation.rest.search_terms import column_of, occurs_in, reads_related, repeats_rows

MAX_SEARCH_CHARS: Final = 256
MAX_SEARCH_TERMS: Final = 8
#: A paged search in a log looks at this many of the newest matching rows. Date filters reach older rows.
SEARCHED: Final = 50_000
#: A search in a list of more rows searches related tables first (see `search_terms`).
_JOINED: Final = 1_000
_TRUE: Final = frozenset({"1", "true", "True", "t", "yes", "y", "on"})
_FALSE: Final = frozenset({"0", "false", "False", "f", "no", "n", "off"})

Rows = models.QuerySet[Any]


def filter_lookups(view: Any) -> dict[str, str]:
    """Query parameter → ORM lookup, as the view declares them."""
    declared: Mapping[str, str] | Iterable[str] = getattr(view, "filter_fields", ())
    return dict(declared) if isinstance(declared, Mapping) else {name: name for name in declared}


class DeclaredFilters(BaseFilterBackend):
    """Exact filters on the declared fields. An invalid value is answered with 400 and field errors."""

    def filter_queryset(self, request: Request, queryset: Rows, view: Any) -> Rows:
        lookups = filter_lookups(view)
        for name, condition in declared_conditions(request, queryset.model, view).items():
            queryset = queryset.filter(condition)
            if repeats_rows(lookups[name], queryset.model):
                queryset = queryset.distinct()
        return queryset


def declared_conditions(request: Request, model: type[models.Model], view: Any) -> dict[str, Q]:
    """The conditions of the declared filters that the request uses, by parameter. Raises ValidationError."""
    conditions: dict[str, Q] = {}
    errors: dict[str, list[str]] = {}
    for name, lookup in filter_lookups(view).items():
        values = [value for value in request.query_params.getlist(name) if value != ""]
        if not values:
            continue
        try:
            conditions[name] = _condition(model, lookup, values[-1])
        except (ValueError, TypeError, ModelValidationError):
            errors[name] = [_("Enter a valid value.")]
    if errors:
        raise ValidationError(errors)
    return conditions


def _condition(model: type[models.Model], lookup: str, value: str) -> Q:
    field = column_of(model, lookup)
    parts = [part for part in value.split(",") if part] if isinstance(field, models.UUIDField) else [value]
    if isinstance(field, models.GenericIPAddressField) and not lookup.endswith("__icontains"):
        field.run_validators(value)  # PostgreSQL compares these as addresses and fails on other text
    cleaned = [_clean(field, part) for part in parts]
    if lookup.endswith(("__icontains", "__gte", "__lte")) or len(cleaned) == 1:
        return Q((lookup, cleaned[0]))
    return Q((f"{lookup}__in", cleaned))


def _clean(field: "models.Field[Any, Any] | None", value: str) -> Any:
    if isinstance(field, models.BooleanField):
        if value in _TRUE:
            return True
        if value in _FALSE:
            return False
        raise ValueError(value)
    if isinstance(field, models.DateTimeField):
        return parse_instant(value)
    if "\x00" in value:
        raise ValueError(value)
    return field.to_python(value) if field is not None else value


def yes_or_no(request: Request, name: str) -> bool | None:
    """The value of a yes/no filter that a view applies itself; None when it is absent. Raises ValidationError."""
    value = request.query_params.get(name, "")
    if not value:
        return None
    if value in _TRUE or value in _FALSE:
        return value in _TRUE
    raise ValidationError({name: [_("Enter a valid value.")]})


def parse_instant(text: str) -> datetime:
    """An aware datetime from ISO 8601 or one of the display formats. Raises ValueError."""
    parsed = parse_datetime(text.strip())
    if parsed is None:
        for pattern in (DISPLAY_FORMAT, "%Y-%m-%d %H:%M:%S %z"):
            try:
                return bounded(datetime.strptime(text.strip(), pattern))  # noqa: DTZ007 - both patterns end in %z
            except ValueError:
                continue
        raise ValueError(text)
    return bounded(timezone.make_aware(parsed) if timezone.is_naive(parsed) else parsed)


class DateRange(BaseFilterBackend):
    """`date_from` and `date_to` on the declared `date_range_field`, both inclusive."""

    def filter_queryset(self, request: Request, queryset: Rows, view: Any) -> Rows:
        column: str | None = getattr(view, "date_range_field", None)
        if column is None:
            return queryset
        errors: dict[str, list[str]] = {}
        for name, lookup in (("date_from", "gte"), ("date_to", "lte")):
            text = request.query_params.get(name)
            if not text:
                continue
            try:
                queryset = queryset.filter(Q((f"{column}__{lookup}", parse_instant(text))))
            except ValueError:
                errors[name] = [_("Enter a valid date/time.")]
        if errors:
            raise ValidationError(errors)
        return queryset


def search_terms(request: Request) -> list[str]:
    """The terms of `search=`."""
    text = request.query_params.get("search", "").replace("\x00", "")[:MAX_SEARCH_CHARS]
    return [term for term in re.split(r"[\s,]+", text) if term][:MAX_SEARCH_TERMS]


class TermSearch(BaseFilterBackend):
    """`search=a b`: every term must occur in one of the declared `search_fields`, ignoring case.

    In a log (a view with `date_range_field`) a paged search covers the newest `SEARCHED` rows that match the other
    conditions, and the answer reports the limit as `searched_from`. Bare arrays and exports cannot report it, so they
    search all rows.
    """

    def filter_queryset(self, request: Request, queryset: Rows, view: Any) -> Rows:
        columns: tuple[str, ...] = tuple(getattr(view, "search_fields", ()) or ())
        terms = search_terms(request)
        if not columns or not terms:
            return queryset
        queryset = _bounded(queryset, request, view)
        model = queryset.model
        related_first = reads_related(columns, model) and _is_long(queryset)
        # The longest first: it is the rarest, and a row without it is compared with no other.
        for term in sorted(terms, key=len, reverse=True):
            queryset = queryset.filter(occurs_in(term, columns, model, related_first=related_first))
        return queryset.distinct() if any(repeats_rows(column, model) for column in columns) else queryset


def _is_long(rows: Rows) -> bool:
    """Whether the list, before the search, has so many rows that searching related tables is cheaper than looking up the
    related rows of each.
    """
    return not keyed.can_read(rows) or counts.up_to(_JOINED + 1, keyed.query_for(rows)) > _JOINED


def _bounded(rows: Rows, request: Request, view: Any) -> Rows:
    column: str | None = getattr(view, "date_range_field", None)
    if column is None or not can_report_border(request, view):
        return rows
    view.searched_from = view.search_border(rows)
    return rows if view.searched_from is None else rows.filter(Q((f"{column}__gte", view.searched_from)))


def can_report_border(request: Request, view: Any) -> bool:
    """Whether the answer can say from when on it searched: pages can, bare arrays and files cannot.

    A view names actions that answer with a file in `file_actions`.
    """
    params = request.query_params
    if view.action in getattr(view, "file_actions", ()):
        return False
    return "format" not in params and (view.action != "list" or "limit" in params)


def newest_border(rows: Rows, column: str) -> datetime | None:
    """The oldest instant that a search among the `SEARCHED` newest rows covers; None when the log has fewer rows."""
    following = rows.order_by(f"-{column}").values_list(column, flat=True)[SEARCHED : SEARCHED + 1]
    return next(iter(following), None)


class DeclaredOrder(BaseFilterBackend):
    """`order=field,-field`. Unknown names are ignored; the primary key is appended where needed to make the order
    total.
    """

    def filter_queryset(self, request: Request, queryset: Rows, view: Any) -> Rows:
        asked = request.query_params.get("order", "")
        allowed = ordering_columns(view) if asked else {}
        amounts: Mapping[str, Amount] = getattr(view, "amounts", {})
        wanted: list[Any] = []
        for part in asked.split(","):
            name, falls = part.strip().removeprefix("-"), part.strip().startswith("-")
            if name not in allowed:
                continue
            if name in amounts:
                amount = amounts[name].expression()
                wanted.append(amount.desc() if falls else amount.asc())
            else:
                wanted.append(("-" if falls else "") + allowed[name])
        default: tuple[Any, ...] = tuple(getattr(view, "default_order", ()) or queryset.query.order_by)
        usual = tuple(queryset.model._meta.ordering or ())  # noqa: SLF001 - the documented model API
        order = wanted or default or usual
        return queryset.order_by(*order) if _is_total(order, queryset) else queryset.order_by(*order, "pk")


def _is_total(order: Iterable[Any], queryset: Rows) -> bool:
    """Whether the order is total already. A superfluous primary key at its end would keep the database from using an
    index.
    """
    model = queryset.model
    columns = {field.name: field for field in model._meta.concrete_fields}  # noqa: SLF001 - the documented model API
    named = {name.removeprefix("-") for name in order if isinstance(name, str)}
    fixed = _fixed_columns(queryset)
    # `order_by("user")` means the order of users, so a foreign key counts by the name of its column only
    names = {name for name, field in columns.items() if field.attname in named or field.column in fixed}
    if "pk" in named or model._meta.pk.name in names:  # noqa: SLF001 - the documented model API
        return True
    for constraint in model._meta.total_unique_constraints:  # noqa: SLF001 - the documented model API
        if names.issuperset(constraint.fields) and not any(columns[name].null for name in constraint.fields):
            return True
    return False


def _fixed_columns(queryset: Rows) -> set[str | None]:
    """The columns of the table that a top-level condition limits to a single value, such as the organization."""
    where = queryset.query.where
    if where.connector != AND or where.negated:
        return set()
    table = queryset.model._meta.db_table  # noqa: SLF001 - the documented model API
    columns: list[Any] = [condition.lhs for condition in where.children if isinstance(condition, Exact)]
    return {column.target.column for column in columns if isinstance(column, Col) and column.alias == table}


def ordering_columns(view: Any) -> dict[str, str]:
    """Name in `order=` → ORM name."""
    declared: Any = getattr(view, "ordering_fields", None)
    if isinstance(declared, Mapping):
        return dict(declared)
    if declared is not None:
        return {name: name for name in declared}
    serializer = view.get_serializer()
    model = view.get_queryset().model
    columns = {field.name for field in model._meta.concrete_fields}  # noqa: SLF001 - the documented model API
    orm_names: dict[str, str] = {}
    for name, field in serializer.fields.items():
        if not field.write_only and field.source in columns:
            orm_names[name] = field.source
    return orm_names


class Selected(BaseFilterBackend):
    """`ids=a,b` and `spm=token` limit the list to a selection."""

    def filter_queryset(self, request: Request, queryset: Rows, view: Any) -> Rows:
        ids = request.query_params.get("ids")
        if ids:
            queryset = chosen(queryset, _valid_keys(queryset.model, ids.split(",")))
        token = request.query_params.get("spm")
        if token:
            selected_ids = selections.find(token, view.actor, view.scope)
            if selected_ids is None and (request.method not in SAFE_METHODS or "format" in request.query_params):
                raise selections.SelectionLapsed
            queryset = chosen(queryset, _valid_keys(queryset.model, selected_ids or ()))
        return queryset


def _valid_keys(model: type[models.Model], texts: Iterable[str]) -> list[Any]:
    keys: list[Any] = []
    for text in texts:
        try:
            keys.append(model._meta.pk.to_python(text.strip()))  # noqa: SLF001 - the documented model API
        except (ModelValidationError, ValueError):
            continue
    return keys


def narrows(request: Request, view: Any) -> bool:
    """Whether the request names the rows that it means. Bulk deletes require it, so that no call means all rows."""
    names = {"spm", "ids", *filter_lookups(view), *getattr(view, "own_filters", ())}
    return any(request.query_params.get(name) for name in names)
