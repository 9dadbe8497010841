"""How many rows a list has, without counting them anew for every page.

A large table whose every write counts up a version in the same transaction can tell it:

    class AssetViewSet(ResourceViewSet):
        counted = Versioned(frozenset({"assets_asset", "assets_assetnode"}), tree_version)

A count is then kept under the version and the very SQL that counts: the same question of the same rows has the same
answer, for whoever asks it. A query that touches any other table is counted each time.
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
    """`version(scope)` changes with every write to one of the `tables` that can be seen in the scope."""

    tables: frozenset[str]
    version: Callable[[OrgScope], Hashable]


def kept(
    query: tuple[str, Any] | None, versioned: Versioned | None, scope: OrgScope, rows: "models.QuerySet[Any]"
) -> int | None:
    """The exact number of rows where a version tells it; None where nothing does. `query`: that for their keys (see `keyed.query_for`)."""
    # Inside a transaction the version may be one that is rolled back and then given again to other rows
    if versioned is None or connections[rows.db].in_atomic_block:
        return None
    if query is None:
        return 0
    sql, params = query
    if not versioned.tables.issuperset(_TABLES.findall(sql)):
        return None
    # Read before counting: a write in between makes the kept number newer than its version, which nobody asks for then
    key = (versioned.version(scope), _unordered(sql), repr(params))
    found = _counts.find(key)
    if found is None:
        found = rows.count()
        _counts.keep(key, found)
    return found


def up_to(most: int, query: tuple[str, Any] | None) -> int:
    """The number of rows of a query for keys, but no more than `most`: the database stops reading there."""
    if query is None:
        return 0
    sql, params = query
    counted = _unordered(sql)
    if counted.count("%s") == sql.count("%s"):  # else values stand in the order, and the text does not tell which
        sql = counted
    if not sql.startswith("SELECT DISTINCT"):  # the keys themselves are not in the index that finds the rows
        sql = f"SELECT 1 FROM {sql.partition(' FROM ')[2]}"  # noqa: S608 - compiled by Django
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM ({sql} LIMIT {int(most)}) AS counted", params)  # noqa: S608 - compiled by Django
        found: int = cursor.fetchone()[0]
    return found


def _unordered(sql: str) -> str:
    """The query without its order, which changes no count: that of the whole, not one within parentheses."""
    start, found, order = sql.rpartition(" ORDER BY ")
    return start if found and order.count("(") == order.count(")") else sql
