"""Pages of a log whose every filter has an index: the newest rows first, in a time that does not grow with the table.

The rows come in parts (by organization, and by kind where a category is asked for). The newest of each part stand together
at one end of an index, so a page reads the first of each part and merges them. Counting and paging reach to `COUNTED`; a search looks
at the newest `SEARCHED` rows; the answer says so (`count_is_minimum`, `searched_from`), and the dates lead further back.
"""

from datetime import datetime
from typing import Any, Final

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.foundation.rest import keyed
from postern.foundation.rest.pagination import COUNTED, OptionalLimitPagination

#: Rows that a search looks at.
SEARCHED: Final = 50_000
#: Parts in one statement; SQLite takes at most 500.
_PARTS: Final = 200

Parts = list[QuerySet[Any]]
#: SQL and its parameters.
Statement = tuple[str, tuple[Any, ...]]


class NewestPagination(OptionalLimitPagination):
    """The list envelope over merged parts. The view has `partitions_of` and `searched_from`."""

    reaches_on = False

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        self.searched_from: datetime | None = view.searched_from
        if request.query_params.get("order"):  # another order than the newest first
            self.reaches_on = True
            return super().paginate_queryset(queryset, request, view)
        parts = view.partitions_of(queryset)
        limit = self.get_limit(request)
        if limit is None:
            self._bare = True
            if _count(parts) > COUNTED:
                message = _("There are more than %(count)d rows: ask for them in pages, with limit and offset.")
                raise ValidationError({"limit": [message % {"count": COUNTED}]})
            return keyed.read(queryset, _newest(parts, 0, COUNTED))
        self.request, self.limit, self.offset = request, limit, self.get_offset(request)
        self.count = _count(parts)
        self.is_minimum = self.count > COUNTED
        self.count = min(self.count, COUNTED)
        some = min(limit, self.count - self.offset)
        return keyed.read(queryset, _newest(parts, self.offset, some)) if some > 0 else []

    def get_paginated_response(self, data: Any) -> Response:
        answer = super().get_paginated_response(data)
        if not self._bare and self.searched_from:
            answer.data["searched_from"] = self.searched_from.isoformat()
        return answer


def search_border(parts: Parts) -> datetime | None:
    """From which instant on there are `SEARCHED` rows; None when there are fewer."""
    found = _newest(parts, SEARCHED, 1)
    if not found:
        return None
    model = parts[0].model
    at: datetime | None = model._default_manager.filter(pk=found[0]).values_list("datetime", flat=True).first()  # noqa: SLF001 - the documented model API
    return at


def _hex(key: Any) -> str:
    return str(key).replace("-", "")


def _newest(parts: Parts, offset: int, limit: int) -> list[Any]:
    """The keys of the newest rows of all parts together."""
    statements = [
        compiled
        for part in parts
        if (compiled := _compiled(part.order_by("-datetime", "pk").values_list("datetime", "pk")[: offset + limit]))
    ]
    found: list[tuple[Any, Any]] = []
    for start in range(0, len(statements), _PARTS):
        some = statements[start : start + _PARTS]
        union, params = _union(some)
        found += _all(f"SELECT * FROM ({union}) parts ORDER BY 1 DESC, 2 LIMIT {int(offset + limit)}", params)  # noqa: S608 - compiled by Django
    if len(statements) > _PARTS:
        found.sort(key=lambda row: _hex(row[1]))
        found.sort(key=lambda row: row[0], reverse=True)
    return [key for _at, key in found[offset : offset + limit]]


def _count(parts: Parts) -> int:
    """How many rows the parts have; one more than `COUNTED` when they are more."""
    most, count = COUNTED + 1, 0
    for start in range(0, len(parts), _PARTS):
        some = [
            compiled
            for part in parts[start : start + _PARTS]
            if (compiled := _compiled(part.order_by().values_list("pk")[:most]))
        ]
        if not some:
            continue
        union, params = _union(some)
        count += _all(f"SELECT COUNT(*) FROM (SELECT * FROM ({union}) parts LIMIT {most}) counted", params)[0][0]  # noqa: S608 - compiled by Django
        if count >= most:
            return most
    return count


def count_by_event(parts: Parts, most: int) -> dict[str, int]:
    """How many rows of each kind of event are among the first `most` rows of each part, in one statement.

    At most `_PARTS` parts.
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
