"""The list envelope: only when the client sends `limit` (contract: conventions section 5).

`count` is exact up to `COUNTED` rows, and up to the end of the page that is asked for; with more rows the answer says
`count_is_minimum`. So a page costs the same however large the table is, and following `next` leads to the last row.
"""

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
from postern.foundation.rest.related import attach_amounts

#: The contract knows no maximum; ours keeps one answer within memory.
MAX_LIMIT: Final = 10_000
#: Rows are counted so far.
COUNTED: Final = 10_000
#: No table has more rows; larger offsets do not fit into the databases' integers.
_MAX_OFFSET: Final = 2**53


class OptionalLimitPagination(LimitOffsetPagination):
    """With `limit` `{count, next, previous, results}`; without it a bare array, of at most `MAX_LIMIT` rows."""

    default_limit = None
    max_limit = MAX_LIMIT
    _bare = False
    #: There are more rows than `count`.
    is_minimum = False
    #: Whether pages behind `COUNTED` can be asked for.
    reaches_on = True

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """The rows of the page. Raises ValidationError when an array without limit would be too long."""
        limit = self.get_limit(request)
        if limit is None:
            self._bare = True
            rows = _all(queryset)
        else:
            self.request, self.limit, self.offset = request, limit, min(self.get_offset(request), _MAX_OFFSET)
            rows = self._rows(queryset, view, self.offset, limit)
        attach_amounts(view, rows)
        return rows

    def _rows(self, queryset: Any, view: Any, offset: int, limit: int) -> list[Any]:
        if not isinstance(queryset, QuerySet) or not keyed.can_read(queryset):
            self.count = self.get_count(queryset)
            return list(queryset[offset : offset + limit])
        query = keyed.query_for(queryset)
        most = max(COUNTED, offset + limit)
        exact = counts.kept(query, getattr(view, "counted", None), view.scope, queryset)
        count = counts.up_to(most + 1, query) if exact is None else exact
        self.is_minimum = exact is None and count > most
        self.count = min(count, most) if exact is None else exact
        if offset >= self.count:
            return []
        some = min(limit, self.count - offset)
        return keyed.read(queryset, self._keys(queryset, query, some))

    def _keys(self, queryset: "QuerySet[Any]", query: tuple[str, Any] | None, limit: int) -> list[Any]:
        """The keys of the page. Behind the middle the rows are passed over from the end, where there are fewer of them."""
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
        return Response({"count": count, **minimum, **links, "results": data})

    def _link(self, offset: int) -> str:
        """The address of another page, as DRF writes it: parameters in order of their names, no offset for the first page."""
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
    if len(rows) > MAX_LIMIT:
        message = _("There are more than %(count)d rows: ask for them in pages, with limit and offset.")
        raise ValidationError({"limit": [message % {"count": MAX_LIMIT}]})
    return rows
