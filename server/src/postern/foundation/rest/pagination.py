"""The list envelope: only when the client sends `limit` (contract: conventions section 5)."""

from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.db.models.sql.where import WhereNode
from django.http import HttpRequest
from django.utils.encoding import escape_uri_path
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request
from rest_framework.response import Response

from postern.foundation.rest import counts, keyed
from postern.foundation.rest.related import attach_all

#: The contract knows no maximum; ours keeps one answer within memory.
MAX_LIMIT: Final = 10_000
#: From this offset on the rows that are passed over are walked by key alone, without what hangs on them.
_FAR: Final = 500
#: Longer pages are not looked up by key: a statement takes so many values, not any number.
_KEYS: Final = 500
#: No table has more rows; larger offsets do not fit into the databases' integers.
_MAX_OFFSET: Final = 2**53


class OptionalLimitPagination(LimitOffsetPagination):
    """With `limit` `{count, next, previous, results}`; without it a bare array, of at most `MAX_LIMIT` rows."""

    default_limit = None
    max_limit = MAX_LIMIT
    _bare = False

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """The rows of the page. Raises ValidationError when an array without limit would be too long."""
        limit, related = self.get_limit(request), getattr(view, "page_relations", ())
        if related:
            queryset = queryset.prefetch_related(None)
        rows = self._rows(queryset, request, view, limit)
        if related:
            attach_all(rows, related)
        return rows

    def _rows(self, queryset: Any, request: Request, view: Any, limit: int | None) -> list[Any]:
        if limit is None:
            self._bare = True
            return _all(queryset)
        self.request, self.limit, self.offset = request, limit, min(self.get_offset(request), _MAX_OFFSET)
        if not isinstance(queryset, QuerySet):
            self.count = self.get_count(queryset)
            return list(queryset[self.offset : self.offset + limit])
        counted = getattr(view, "counted", None)
        with_related = keyed.relations(queryset) if limit <= keyed.MOST else None
        query = None if with_related is None else keyed.query_for(queryset)
        self.count = counts.count(queryset, counted, view.scope, query)
        if self.offset >= self.count:
            return []
        if with_related is not None:
            some = min(limit, self.count - self.offset)
            return keyed.read(queryset, _keys(queryset, query, self.offset, some, self.count), with_related)
        if self.offset >= _FAR and limit <= _KEYS and queryset.query.values_select == ():
            return _far_page(queryset, self.offset, limit)
        return list(queryset[self.offset : self.offset + limit])

    def get_paginated_response(self, data: Any) -> Response:
        if self._bare:
            return Response(data)
        count, limit, offset = self.count or 0, self.limit or 0, self.offset or 0
        links = {
            "next": self._link(offset + limit) if offset + limit < count else None,
            "previous": self._link(max(offset - limit, 0)) if offset > 0 else None,
        }
        return Response({"count": count, **links, "results": data})

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
    rows = list(queryset[: MAX_LIMIT + 1])
    if len(rows) > MAX_LIMIT:
        message = _("There are more than %(count)d rows: ask for them in pages, with limit and offset.")
        raise ValidationError({"limit": [message % {"count": MAX_LIMIT}]})
    return rows


def _keys(queryset: "QuerySet[Any]", query: tuple[str, Any] | None, offset: int, limit: int, count: int) -> list[Any]:
    """The keys of the page. Behind the middle the rows are passed over from the end, where there are fewer of them."""
    from_end = count - offset - limit
    if from_end >= offset or not queryset.ordered:
        return keyed.keys_of(query, offset, limit)
    return keyed.keys_of(keyed.query_for(queryset.reverse()), from_end, limit)[::-1]


def _far_page(queryset: "QuerySet[Any]", offset: int, limit: int) -> list[Any]:
    """The keys of the page first: passing over 90,000 rows with all their relations joined costs four times as much."""
    bare = queryset.select_related(None).prefetch_related(None)
    keys = list(bare.values_list("pk", flat=True)[offset : offset + limit])
    chosen = queryset.order_by()
    if not chosen.query.annotations:
        # All conditions were met when the keys were chosen. SQLite would follow the index of the first of them, the
        # organization, to every row that it has, instead of the fifteen keys.
        chosen.query.where = WhereNode()
    rows = {row.pk: row for row in chosen.filter(pk__in=keys)}
    return [rows[key] for key in keys if key in rows]
