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

from django.core.exceptions import EmptyResultSet
from django.db import connections, models

from postern.foundation.rest.memo import Memo
from postern.foundation.scope import OrgScope

_TABLES: Final = re.compile(r'(?:FROM|JOIN) "(\w+)"')
_counts: Final[Memo[int]] = Memo(4_096)


class Versioned(NamedTuple):
    """`version(scope)` changes with every write to one of the `tables` that can be seen in the scope."""

    tables: frozenset[str]
    version: Callable[[OrgScope], Hashable]


def count(
    rows: "models.QuerySet[Any]", versioned: Versioned | None, scope: OrgScope, keys: tuple[str, Any] | None = None
) -> int:
    """The number of rows. `keys`: SQL and parameters of the query for their keys, where it is there already."""
    # Inside a transaction the version may be one that is rolled back and then given again to other rows
    if versioned is None or connections[rows.db].in_atomic_block:
        return rows.count()
    try:
        sql, params = keys or rows.order_by().select_related(None).values("pk").query.sql_with_params()
    except EmptyResultSet:
        return 0
    if not versioned.tables.issuperset(_TABLES.findall(sql)):
        return rows.count()
    # Read before counting: a write in between makes the kept number newer than its version, which nobody asks for then
    key = (versioned.version(scope), _unordered(sql), repr(params))
    found = _counts.find(key)
    if found is None:
        found = rows.count()
        _counts.keep(key, found)
    return found


def _unordered(sql: str) -> str:
    """The query without its order, which changes no count: that of the whole, not one within parentheses."""
    start, found, order = sql.rpartition(" ORDER BY ")
    return start if found and order.count("(") == order.count(")") else sql
