"""Rows with given keys, of those that a queryset leaves.

SQLite takes it for granted that few rows have the same value in an indexed column. So it would follow the index of the organization through
all that the organization has, 100,000 assets perhaps, to find a hundred keys. A condition on `+column` means the same and offers no index.
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
    """Those of `rows` that have one of these keys."""
    found = rows.filter(pk__in=list(keys))
    if connection.vendor == "sqlite":
        conditions = found.query.where
        conditions.children = [_without_index(one) for one in conditions.children]
    return found


def _without_index(condition: Any) -> Any:
    if not isinstance(condition, Exact) or not isinstance(condition.lhs, Col):
        return condition
    changed = copy.copy(condition)  # the querysets that this one was made of keep theirs
    changed.lhs = _WithoutIndex(condition.lhs, output_field=condition.lhs.output_field)
    return changed
