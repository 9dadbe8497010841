"""Cached row counts of lists.

A list can cache its counts when every write to its tables increments a version in the same transaction:

    class AssetViewSet(ResourceViewSet):
        counted = Versioned(frozenset({"assets_asset", "assets_assetnode"}), tree_version)

The cache key is the version plus the SQL of the count, so a cached number is correct for every caller. A query that
touches any other table is counted each time.
"""

import re
from collections.abc import Callable, Hashable
from typing import Any, Final, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections, models

from postern.foundation.caller.scope import OrgScope
from postern.foundation.rest.memo import Memo

_TABLES: Final = re.compile(r'(?:FROM|JOIN) "(\w+)"')
_counts: Final[Memo[int]] = Memo(4_096)


class Versioned(NamedTuple):
    """`version(scope)` changes with every write to one of the `tables` that is visible in the scope."""

    tables: frozenset[str]
    version: Callable[[OrgScope], Hashable]


def cached_count(
    query: tuple[str, Any] | None, versioned: Versioned | None, scope: OrgScope, rows: "models.QuerySet[Any]"
) -> int | None:
    """The exact row count where `versioned` covers the query; None otherwise. `query` selects the keys (see
    `keyed.query_for`).
    """
    # Inside a transaction the version may be rolled back and later be assigned again to different rows.
    if versioned is None or connections[rows.db].in_atomic_block:
        return None
    if query is None:
        return 0
    sql, params = query
    if not versioned.tables.issuperset(_TABLES.findall(sql)):
        return None
    # Read the version before counting. If a write comes in between, the count is stored under a version that is never
    # requested again.
    key = (versioned.version(scope), _unordered(sql), repr(params))
    count = _counts.find(key)
    if count is None:
        count = rows.count()
        _counts.keep(key, count)
    return count


def up_to(limit: int, query: tuple[str, Any] | None) -> int:
    """The row count of a query for keys, at most `most`: the database stops reading there."""
    if query is None:
        return 0
    sql, params = query
    counted = _unordered(sql)
    if counted.count("%s") == sql.count(
        "%s"
    ):  # otherwise the ORDER BY clause has parameters that cannot be distinguished
        sql = counted
    if not sql.startswith("SELECT DISTINCT"):  # counting 1 lets the database use an index that does not hold the key
        sql = f"SELECT 1 FROM {sql.partition(' FROM ')[2]}"  # noqa: S608 - compiled by Django
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM ({sql} LIMIT {int(limit)}) AS counted", params)  # noqa: S608 - compiled by Django
        count: int = cursor.fetchone()[0]
    return count


def reads_several_tables(query: tuple[str, Any] | None) -> bool:
    """Whether the query for keys joins tables or has subqueries."""
    return query is not None and len(_TABLES.findall(query[0])) > 1


def _unordered(sql: str) -> str:
    """The query without its outermost ORDER BY, which does not affect the count."""
    start, separator, order = sql.rpartition(" ORDER BY ")
    return start if separator and order.count("(") == order.count(")") else sql
