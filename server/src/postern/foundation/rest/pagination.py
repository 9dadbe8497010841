"""The list envelope: only when the client sends `limit` (contract: conventions section 5).

`count` is exact up to `COUNTED` rows (`COUNTED_ACROSS` when the query reads several tables), and up to the end of the
requested page. With more rows, the answer has `count_is_minimum`. Reading a page costs the same however large the table
is, and following `next` leads to the last row.
"""

from collections.abc import Sized
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.encoding import escape_uri_path
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request
from rest_framework.response import Response

from postern.foundation.rest import counts, keyed
from postern.foundation.rest.related import attach_computed

#: The API contract sets no maximum; this one limits the memory that one answer needs.
MAX_LIMIT: Final = 10_000
#: Rows are counted up to here. Counting them takes 80,000 instructions of SQLite's virtual machine, about 1.5 ms.
COUNTED: Final = 10_000
#: The limit for queries over several tables: each counted row costs a lookup in each of them, 3 to 15 times as much.
COUNTED_ACROSS: Final = 1_000
#: No table has more rows, and larger offsets do not fit into the integers of the databases.
_MAX_OFFSET: Final = 2**53


class OptionalLimitPagination(LimitOffsetPagination):
    """With `limit`: `{count, next, previous, results}`. Without: a bare array of at most `MAX_LIMIT` rows."""

    default_limit = None
    max_limit = MAX_LIMIT
    _bare = False
    #: Whether there are more rows than `count`.
    is_minimum = False
    #: The oldest instant that a search in a log covered; None when it covered all rows.
    searched_from: datetime | None = None
    #: Whether pages beyond `COUNTED` can be requested.
    reaches_on = True

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """The rows of the page. Raises ValidationError when a bare array would be too long."""
        limit = self.get_limit(request)
        self.searched_from = getattr(view, "searched_from", None)
        if limit is None:
            self._bare = True
            rows = self._every_row(queryset, view)
        else:
            self.request, self.limit, self.offset = request, limit, min(self.get_offset(request), _MAX_OFFSET)
            rows = self._rows(queryset, view, self.offset, limit)
        attach_computed(view, rows)
        return rows

    def _every_row(self, queryset: Any, view: Any) -> list[Any]:
        del view
        return _all(queryset)

    def _rows(self, queryset: Any, view: Any, offset: int, limit: int) -> list[Any]:
        if not isinstance(queryset, QuerySet) or not keyed.can_read(queryset):
            self.count = self.get_count(queryset)
            return list(queryset[offset : offset + limit])
        query = keyed.query_for(queryset)
        exact = counts.cached_count(query, getattr(view, "counted", None), view.scope, queryset)
        bound = COUNTED_ACROSS if counts.reads_several_tables(query) else COUNTED
        if exact is None and offset + limit > bound:
            return keyed.read(queryset, self._far_keys(query, offset, limit))
        if exact is None and offset == 0:
            return keyed.read(queryset, self._first_keys(query, limit, bound))
        count = counts.up_to(bound + 1, query) if exact is None else exact
        self.is_minimum = exact is None and count > bound
        self.count = bound if self.is_minimum else count
        if offset >= self.count:
            return []
        page_size = min(limit, self.count - offset)
        return keyed.read(queryset, self._keys(queryset, query, page_size))

    def _first_keys(self, query: tuple[str, Any] | None, limit: int, bound: int) -> list[Any]:
        """The keys of the first page. They are read before the rows are counted: a search with few results has to read
        the whole table, and the page then tells the count.
        """
        keys = keyed.keys_of(query, 0, limit)
        count = len(keys) if len(keys) < limit else max(len(keys), counts.up_to(bound + 1, query))
        self.is_minimum = count > bound
        self.count = min(count, bound)
        return keys

    def _far_keys(self, query: tuple[str, Any] | None, offset: int, limit: int) -> list[Any]:
        """The keys of a page that ends beyond the counted rows. One more key is read to learn whether rows follow."""
        keys = keyed.keys_of(query, offset, limit + 1)
        self.is_minimum = len(keys) > limit
        self.count = offset + min(len(keys), limit) if keys else counts.up_to(offset, query)
        return keys[:limit]

    def _keys(self, queryset: "QuerySet[Any]", query: tuple[str, Any] | None, limit: int) -> list[Any]:
        """The keys of the page. In the second half of the list, rows are skipped from the end, where fewer have to be
        skipped.
        """
        offset, count = self.offset or 0, self.count or 0
        from_end = count - offset - limit
        if from_end >= offset or self.is_minimum or not queryset.ordered:
            return keyed.keys_of(query, offset, limit)
        return keyed.keys_of(keyed.query_for(queryset.reverse()), from_end, limit)[::-1]

    def get_paginated_response(self, data: Any) -> Response:
        if self._bare:
            return Response(data)
        count, limit, offset = self.count or 0, self.limit or 0, self.offset or 0
        more = (self.is_minimum and self.reaches_on) or offset + limit < count
        links = {
            "next": self._link(offset + limit) if more else None,
            "previous": self._link(max(offset - limit, 0)) if offset > 0 else None,
        }
        minimum = {"count_is_minimum": True} if self.is_minimum else {}
        searched = {"searched_from": self.searched_from.isoformat()} if self.searched_from else {}
        return Response({"count": count, **minimum, **links, "results": data, **searched})

    def _link(self, offset: int) -> str:
        """The URL of another page in DRF's form: parameters sorted by name, no offset for the first page."""
        asked: Any = self.request
        request: HttpRequest = asked._request  # noqa: SLF001 - its address
        params: dict[str, Any] = {**dict(request.GET.lists()), self.limit_query_param: str(self.limit)}
        params.pop(self.offset_query_param, None)
        if offset:
            params[self.offset_query_param] = str(offset)
        query = urlencode(sorted(params.items()), doseq=True)
        return f"{request.scheme}://{request.get_host()}{escape_uri_path(request.path)}?{query}"

    def get_limit(self, request: Request) -> int | None:
        raw: Any = request.query_params.get(self.limit_query_param)
        if raw is None:
            return None
        try:
            limit = int(raw)
        except ValueError:
            limit = MAX_LIMIT
        return min(limit, MAX_LIMIT) if limit > 0 else MAX_LIMIT


def _all(queryset: Any) -> list[Any]:
    if isinstance(queryset, QuerySet) and keyed.can_read(queryset):
        rows = keyed.read(queryset, keyed.keys_of(keyed.query_for(queryset), limit=MAX_LIMIT + 1))
    else:
        rows = list(queryset[: MAX_LIMIT + 1])
    refuse_too_many(rows)
    return rows


def refuse_too_many(rows: Sized) -> None:
    """Raises ValidationError when a bare array would be too long."""
    if len(rows) > MAX_LIMIT:
        message = _("There are more than %(count)d rows. Request them in pages, with limit and offset.")
        raise ValidationError({"limit": [message % {"count": MAX_LIMIT}]})
