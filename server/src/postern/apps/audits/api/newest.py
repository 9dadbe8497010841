"""Pages of a log, newest rows first, in a time that does not grow with the table. Every filter has an index.

The rows are split into partitions: by organization, and by kind when a category is requested. The newest rows of each
partition are adjacent in an index, so a page reads the first rows of each partition and merges them. Counting and
paging stop at `COUNTED`; a search reads the newest `filters.SEARCHED` rows. The response reports these limits
(`count_is_minimum`, `searched_from`); date filters reach older rows.
"""

from datetime import datetime
from typing import Any, Final

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from postern.foundation.rest import filters, keyed
from postern.foundation.rest.pagination import COUNTED, OptionalLimitPagination

#: Partitions in one statement; SQLite accepts at most 500.
_PARTS: Final = 200

Parts = list[QuerySet[Any]]
#: SQL and its parameters.
Statement = tuple[str, tuple[Any, ...]]


class NewestPagination(OptionalLimitPagination):
    """The list envelope over merged partitions. The view must provide `partitions_of`."""

    reaches_on = False

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        self.searched_from = view.searched_from
        if request.query_params.get("order"):  # the client asked for another order than newest first
            self.reaches_on = True
            return super().paginate_queryset(queryset, request, view)
        parts = view.partitions_of(queryset)
        limit = self.get_limit(request)
        if limit is None:
            self._bare = True
            if _count(parts) > COUNTED:
                message = _("There are more than %(count)d rows. Request them in pages, with limit and offset.")
                raise ValidationError({"limit": [message % {"count": COUNTED}]})
            return keyed.read(queryset, _newest(parts, 0, COUNTED))
        self.request, self.limit, self.offset = request, limit, self.get_offset(request)
        self.count = _count(parts)
        self.is_minimum = self.count > COUNTED
        self.count = min(self.count, COUNTED)
        row_count = min(limit, self.count - self.offset)
        return keyed.read(queryset, _newest(parts, self.offset, row_count)) if row_count > 0 else []


def search_border(parts: Parts) -> datetime | None:
    """The instant since which `filters.SEARCHED` rows exist; None when the partitions have fewer rows."""
    newest_keys = _newest(parts, filters.SEARCHED, 1)
    if not newest_keys:
        return None
    model = parts[0].model
    at: datetime | None = model._default_manager.filter(pk=newest_keys[0]).values_list("datetime", flat=True).first()  # noqa: SLF001 - the documented model API
    return at


def _hex(key: Any) -> str:
    return str(key).replace("-", "")


def _newest(parts: Parts, offset: int, limit: int) -> list[Any]:
    """Keys of the newest rows of all partitions together."""
    statements = [
        compiled
        for part in parts
        if (compiled := _compiled(part.order_by("-datetime", "pk").values_list("datetime", "pk")[: offset + limit]))
    ]
    keys_with_order: list[tuple[Any, Any]] = []
    for start in range(0, len(statements), _PARTS):
        batch = statements[start : start + _PARTS]
        union, params = _union(batch)
        keys_with_order += _all(f"SELECT * FROM ({union}) parts ORDER BY 1 DESC, 2 LIMIT {int(offset + limit)}", params)  # noqa: S608 - compiled by Django
    if len(statements) > _PARTS:
        keys_with_order.sort(key=lambda row: _hex(row[1]))
        keys_with_order.sort(key=lambda row: row[0], reverse=True)
    return [key for _at, key in keys_with_order[offset : offset + limit]]


def _count(parts: Parts) -> int:
    """Number of rows of the partitions; at most `COUNTED` + 1."""
    most, count = COUNTED + 1, 0
    for start in range(0, len(parts), _PARTS):
        part_counts = [
            compiled
            for part in parts[start : start + _PARTS]
            if (compiled := _compiled(part.order_by().values_list("pk")[:most]))
        ]
        if not part_counts:
            continue
        union, params = _union(part_counts)
        count += _all(f"SELECT COUNT(*) FROM (SELECT * FROM ({union}) parts LIMIT {most}) counted", params)[0][0]  # noqa: S608 - compiled by Django
        if count >= most:
            return most
    return count


def count_by_event(parts: Parts, most: int) -> dict[str, int]:
    """Number of rows of each event kind among the first `most` rows of each partition, in one statement.

    Takes at most `_PARTS` partitions.
    """
    compiled = (_compiled(part.order_by().values_list("event")[:most]) for part in parts)
    statements = [statement for statement in compiled if statement]
    if not statements:
        return {}
    union, params = _union(statements)
    return dict(_all(f"SELECT event, COUNT(*) FROM ({union}) parts GROUP BY event", params))  # noqa: S608 - compiled by Django


def _union(statements: list[Statement]) -> tuple[str, list[Any]]:
    parts = (f"SELECT * FROM ({sql}) part{number}" for number, (sql, _params) in enumerate(statements))  # noqa: S608 - compiled by Django
    return " UNION ALL ".join(parts), [value for _sql, values in statements for value in values]


def _compiled(rows: QuerySet[Any]) -> Statement | None:
    try:
        sql, params = rows.query.get_compiler(connection=connections[DEFAULT_DB_ALIAS]).as_sql()
    except EmptyResultSet:
        return None
    return str(sql), tuple(params)


def _all(sql: str, params: list[Any]) -> list[tuple[Any, ...]]:
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())
