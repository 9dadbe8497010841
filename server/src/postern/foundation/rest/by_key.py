"""Filter a queryset by a list of primary keys without SQLite choosing the wrong index.

SQLite assumes that few rows share a value of an indexed column. To find a hundred keys it would scan the index on the
organization, which may hold 100,000 assets. A condition on `+column` has the same meaning but cannot use an index.
"""

import copy
from collections.abc import Iterable
from typing import Any

from django.db import connection
from django.db.models import Func, QuerySet
from django.db.models.expressions import Col
from django.db.models.lookups import Exact


class _WithoutIndex(Func):
    template = "+%(expressions)s"
    arity = 1


def chosen(rows: "QuerySet[Any]", keys: Iterable[Any]) -> "QuerySet[Any]":
    """The rows of the queryset `rows` that have one of these primary keys."""
    chosen_rows = rows.filter(pk__in=list(keys))
    if connection.vendor == "sqlite":
        conditions = chosen_rows.query.where
        conditions.children = [_without_index(condition) for condition in conditions.children]
    return chosen_rows


def _without_index(condition: Any) -> Any:
    if not isinstance(condition, Exact) or not isinstance(condition.lhs, Col):
        return condition
    changed = copy.copy(condition)  # a copy, because `rows` shares its condition objects with other querysets
    changed.lhs = _WithoutIndex(condition.lhs, output_field=condition.lhs.output_field)
    return changed
