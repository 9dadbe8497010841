"""Read a page in two queries: select its primary keys, then load those rows with their relations.

The first query differs from request to request, so Django builds it each time. It has a single column, which makes
building it cheap and lets the database skip the rows before the page without reading them. The second query is the same
for all pages of a model, so it is compiled once (see `prepared`). Rows with annotations cannot use the compiled query;
Django reads them, for the page only.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import AutoField, ForeignKey, Model, QuerySet, UUIDField
from django.db.models.query import ModelIterable
from django.db.models.sql import Query

from postern.foundation.database.prepared import as_stored
from postern.foundation.database.prepared_keys import MOST_KEYS, PreparedByKey
from postern.foundation.rest.by_key import chosen
from postern.foundation.rest.related import attach, lookups_of

_WHOLE_ROWS: Final = (frozenset[str](), True)


def can_read(rows: "QuerySet[Any]") -> bool:
    """Whether the queryset yields model objects that can be loaded by key: no `values()`, no union, no row locks."""
    kind: Any = rows._iterable_class  # noqa: SLF001 - what `values()` and the like change
    return kind is ModelIterable and not rows.query.combinator and not rows.query.select_for_update


def relations(rows: "QuerySet[Any]") -> tuple[str, ...] | None:
    """Names of the foreign keys to load with each row; None when the rows cannot be loaded by key alone.

    Loading by key alone works for complete, plain rows: no annotations, no deferred columns, no row locks.
    """
    query: Query = rows.query
    by_key = isinstance(rows.model._meta.pk, UUIDField | AutoField)  # noqa: SLF001 - the documented model API
    whole = query.values_select == () and query.deferred_loading == _WHOLE_ROWS
    plain = not (query.annotations or query.extra or query.select_for_update)
    if not (by_key and whole and plain and can_read(rows) and rows.db == DEFAULT_DB_ALIAS):
        return None
    wanted = query.select_related
    if not isinstance(wanted, dict):
        return None if wanted else ()
    if any(wanted.values()):
        return None
    columns = {field.name: field for field in rows.model._meta.concrete_fields}  # noqa: SLF001 - the documented model API
    names = tuple(wanted)
    return names if all(isinstance(columns.get(name), ForeignKey) for name in names) else None


def query_for(rows: "QuerySet[Any]") -> tuple[str, Any] | None:
    """SQL and parameters that select the keys of the rows in order; None when the conditions can match no row."""
    compiler = rows.values_list("pk").query.get_compiler(connection=connections[DEFAULT_DB_ALIAS])
    try:
        sql, params = compiler.as_sql()
    except EmptyResultSet:
        return None
    return str(sql), params


def keys_of(query: tuple[str, Any] | None, offset: int = 0, limit: int = MOST_KEYS) -> list[Any]:
    """The keys that the query selects, in the database's own representation: `limit` keys after `offset`."""
    if query is None:
        return []
    sql, params = query
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(f"{sql} LIMIT {int(limit)} OFFSET {int(offset)}", params)
        return [row[0] for row in cursor.fetchall()]


def read(rows: "QuerySet[Any]", keys: Sequence[Any]) -> list[Any]:
    """The rows with these keys (as `keys_of` returns them), in that order, with everything that `rows` prefetches.

    Rows that were deleted since are left out. The conditions of `rows` are not checked again: the query for the keys
    did so.
    """
    model: type[Model] = rows.model
    with_related = relations(rows)
    unordered: list[Any] = []
    if with_related is None:
        for chunk in (keys[start : start + MOST_KEYS] for start in range(0, len(keys), MOST_KEYS)):
            unordered += chosen(rows.prefetch_related(None).order_by(), chunk)
    else:
        unordered = _by_key(model, with_related).rows(keys)
    database = connections[DEFAULT_DB_ALIAS]
    by_key = {as_stored(row.pk, database): row for row in unordered}
    loaded_rows = [by_key[key] for key in keys if key in by_key]
    attach(loaded_rows, lookups_of(rows))
    return loaded_rows


def first(rows: "QuerySet[Any]") -> Any | None:
    """`rows.first()` for a lookup that matches at most one row, without the relations that `rows` prefetches."""
    bare = rows.prefetch_related(None)
    if relations(bare) is None:
        return bare.first()
    loaded_rows = read(bare, keys_of(query_for(bare.order_by()), limit=1))
    return loaded_rows[0] if loaded_rows else None


@cache
def _by_key(model: type[Model], with_related: tuple[str, ...]) -> PreparedByKey[Any]:
    def build(keys: list[Any]) -> "QuerySet[Any]":
        rows: QuerySet[Any] = model._base_manager.filter(pk__in=keys)  # noqa: SLF001 - the documented model API
        return rows.select_related(*with_related).order_by() if with_related else rows.order_by()

    return PreparedByKey(model, build, with_related=with_related)
