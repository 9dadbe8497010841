"""Rows in two steps: which they are, by key alone, then the rows with what is shown beside them.

The first query differs from request to request, and Django builds it anew; with one column that is soon done, and the database need
not touch the rows that a page passes over. The second is the same for all pages of a model, so it is compiled once (see `prepared`)
where each row is a row of the table and nothing else; rows with annotations are read by Django, those of the page alone.
"""

from collections.abc import Sequence
from typing import Any, Final

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import AutoField, ForeignKey, Model, QuerySet, UUIDField
from django.db.models.query import ModelIterable
from django.db.models.sql import Query

from postern.foundation.database.prepared import PreparedObjects, as_stored
from postern.foundation.rest.by_key import chosen
from postern.foundation.rest.related import attach, lookups_of, stand_ins

#: Numbers of keys that a query is compiled for; a page is filled up to the next with its last key.
_SIZES: Final = (1, 16, 32, 64, 128, 1_024)
_MOST: Final = _SIZES[-1]
_WHOLE_ROWS: Final = (frozenset[str](), True)

_queries: dict[tuple[type[Model], tuple[str, ...], int], PreparedObjects[Any]] = {}


def can_read(rows: "QuerySet[Any]") -> bool:
    """Whether the rows are objects of the model, which their keys can name: not values, not a union."""
    kind: Any = rows._iterable_class  # noqa: SLF001 - what `values()` and the like change
    return kind is ModelIterable and not rows.query.combinator and not rows.query.select_for_update


def relations(rows: "QuerySet[Any]") -> tuple[str, ...] | None:
    """The foreign keys whose rows come along with each row; None when such rows cannot be read by key alone.

    They can when each is a row of the table and nothing else: no annotation, no part of the columns, no locks.
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
    """SQL and parameters of the query for the keys of the rows, in their order; None when its conditions exclude each other."""
    compiler = rows.values_list("pk").query.get_compiler(connection=connections[DEFAULT_DB_ALIAS])
    try:
        sql, params = compiler.as_sql()
    except EmptyResultSet:
        return None
    return str(sql), params


def keys_of(query: tuple[str, Any] | None, offset: int = 0, limit: int = _MOST) -> list[Any]:
    """What the query finds, as the database has it: so many keys behind so many others."""
    if query is None:
        return []
    sql, params = query
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(f"{sql} LIMIT {int(limit)} OFFSET {int(offset)}", params)
        return [row[0] for row in cursor.fetchall()]


def read(rows: "QuerySet[Any]", keys: Sequence[Any]) -> list[Any]:
    """The rows of the keys (as `keys_of` gives them) in their order, with what `rows` prefetches; a row that is gone meanwhile is left out.

    That the rows meet the conditions of `rows` was decided when the keys were read.
    """
    with_related = relations(rows)
    found: list[Any] = []
    for some in (keys[start : start + _MOST] for start in range(0, len(keys), _MOST)):
        if with_related is None:
            by_key = {row.pk: row for row in chosen(rows.prefetch_related(None).order_by(), some)}
            found += [by_key[key] for key in map(rows.model._meta.pk.to_python, some) if key in by_key]  # noqa: SLF001 - the documented model API
        else:
            found += _prepared(rows.model, with_related, some)
    attach(found, lookups_of(rows))
    return found


def first(rows: "QuerySet[Any]") -> Any | None:
    """`rows.first()` for a lookup that finds one at most, without what `rows` prefetches."""
    bare = rows.prefetch_related(None)
    if relations(bare) is None:
        return bare.first()
    found = read(bare, keys_of(query_for(bare.order_by()), limit=1))
    return found[0] if found else None


def _prepared(model: type[Model], with_related: tuple[str, ...], keys: Sequence[Any]) -> list[Any]:
    size = next(one for one in _SIZES if one >= len(keys))
    named = {f"key{number}": keys[min(number, len(keys) - 1)] for number in range(size)}
    database = connections[DEFAULT_DB_ALIAS]
    by_key = {as_stored(row.pk, database): row for row in _query(model, with_related, size).all(**named)}
    return [by_key[key] for key in keys if key in by_key]


def _query(model: type[Model], with_related: tuple[str, ...], size: int) -> PreparedObjects[Any]:
    kept = _queries.get((model, with_related, size))
    if kept is None:

        def build(**keys: Any) -> "QuerySet[Any]":
            rows: QuerySet[Any] = model._base_manager.filter(pk__in=list(keys.values()))  # noqa: SLF001 - the documented model API
            return rows.select_related(*with_related).order_by() if with_related else rows.order_by()

        kept = PreparedObjects(model, build, stand_ins=stand_ins(model, size), with_related=with_related)
        _queries[model, with_related, size] = kept
    return kept
