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
from django.db.models import QuerySet, Value
from django.db.models.expressions import Col
from django.db.models.lookups import Exact, In
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
        return keyed.read(queryset, self._page_keys(parts, self.offset, limit))

    def _page_keys(self, parts: Parts, offset: int, limit: int) -> list[Any]:
        """The keys of the page, of which none is behind `COUNTED`. They are read before the rows are counted: a search
        with few results reads all rows that it covers, and the first page then tells the count.
        """
        keys = _newest(parts, offset, min(limit, COUNTED - offset)) if offset < COUNTED else []
        if offset < COUNTED and len(keys) < limit and (keys or offset == 0) and offset + len(keys) < COUNTED:
            self.count = offset + len(keys)
            return keys
        count = _count(parts)
        self.is_minimum = count > COUNTED
        self.count = min(count, COUNTED)
        return keys


def search_border(parts: Parts) -> datetime | None:
    """The instant since which `filters.SEARCHED` rows exist; None when the partitions have fewer rows."""
    # Instants alone come from an index, so no row is read.
    rows = _merged(parts, ("datetime",), filters.SEARCHED, 1)
    if not rows:
        return None
    database = connections[DEFAULT_DB_ALIAS]
    column = parts[0].model._meta.get_field("datetime")  # noqa: SLF001 - the documented model API
    at: Any = rows[0][0]
    for convert in database.ops.get_db_converters(Col("", column)):
        at = convert(at, None, database)
    return at  # type: ignore[no-any-return]  # Django types converters as returning Any


def _hex(key: Any) -> str:
    return str(key).replace("-", "")


def _newest(parts: Parts, offset: int, limit: int) -> list[Any]:
    """Keys of the newest rows of all partitions together."""
    return [key for _at, key in _merged(parts, ("datetime", "pk"), offset, limit)]


def _merged(parts: Parts, columns: tuple[str, ...], offset: int, limit: int) -> list[tuple[Any, ...]]:
    """`limit` rows after `offset` of all partitions together, in the order of the columns: instants, latest first, then
    keys if there are any.

    SQLite reads every partition from its index, merges them, and stops at the end of the window; a limit inside the
    partitions would make it sort each of them again. PostgreSQL would read and sort whole partitions without it.
    """
    last, merges = offset + limit, connections[DEFAULT_DB_ALIAS].vendor == "sqlite"
    rows_of = [part.values_list(*columns) for part in parts]
    if merges:
        statements = [compiled for part in rows_of if (compiled := _compiled(part.order_by()))]
    else:
        order = ("-datetime", *columns[1:])
        statements = [compiled for part in rows_of if (compiled := _compiled(part.order_by(*order)[:last]))]
    batches = [statements[start : start + _PARTS] for start in range(0, len(statements), _PARTS)]
    window = f"LIMIT {int(limit)} OFFSET {int(offset)}" if len(batches) == 1 else f"LIMIT {int(last)}"
    in_order = "ORDER BY 1 DESC, 2" if len(columns) > 1 else "ORDER BY 1 DESC"
    rows: list[tuple[Any, ...]] = []
    for batch in batches:
        if merges:
            union, params = (
                " UNION ALL ".join(sql for sql, _values in batch),
                [v for _sql, values in batch for v in values],
            )
        else:
            union, params = _union(batch)
            union = f"SELECT * FROM ({union}) parts"  # noqa: S608 - compiled by Django
        rows += _all(f"{union} {in_order} {window}", params)
    if len(batches) <= 1:
        return rows
    rows.sort(key=lambda row: [_hex(key) for key in row[1:]])
    rows.sort(key=lambda row: row[0], reverse=True)
    return rows[offset:last]


def _count(parts: Parts) -> int:
    """Number of rows of the partitions; at most `COUNTED` + 1."""
    most, count = COUNTED + 1, 0
    for start in range(0, len(parts), _PARTS):
        part_counts = [
            compiled
            for part in parts[start : start + _PARTS]
            if (compiled := _compiled(part.order_by().annotate(row=Value(1)).values_list("row")[:most]))
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
    rows = rows.all()
    rows.query.where.children = _narrowest(rows.query.where.children)
    try:
        sql, params = rows.query.get_compiler(connection=connections[DEFAULT_DB_ALIAS]).as_sql()
    except EmptyResultSet:
        return None
    return str(sql), tuple(params)


def _narrowest(conditions: list[Any]) -> list[Any]:
    """The conditions without lists of values (`action IN …`) that contain the one value of another condition
    (`action = …`, of the partition). With both, SQLite chooses an index without that column.
    """
    single = {(_column(condition), condition.rhs) for condition in conditions if isinstance(condition, Exact)}
    return [
        condition
        for condition in conditions
        if not (
            isinstance(condition, In)
            and isinstance(condition.rhs, list | tuple)
            and any((_column(condition), value) in single for value in condition.rhs)
        )
    ]


def _column(condition: Any) -> str | None:
    return condition.lhs.target.column if isinstance(condition.lhs, Col) else None


def _all(sql: str, params: list[Any]) -> list[tuple[Any, ...]]:
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())
