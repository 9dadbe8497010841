"""Pages of reachable assets: from the index, or inside a transaction from the tables.

From the tables, when very many are reachable: read assets in list order and check each against the permissions.

Composing and sorting 10,000 reachable assets takes 40 ms, and 100,000 assets take ten times as long. When very many
assets are reachable, the first assets in order usually fill a page, so only a window of them is read. If the window
does not fill the page, the page is read from the composed set instead.
"""

from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Q

from postern.apps.assets.models import Asset
from postern.apps.perms.granted.indexed import Page
from postern.foundation.database.prepared import as_stored
from postern.foundation.rest import filters, keyed, pagination
from postern.foundation.rest.pagination import OptionalLimitPagination

#: Orders for which the assets have an index.
_INDEXED: Final = frozenset({("hostname", "id"), ("hostname", "pk"), ("-hostname", "pk"), ("ip", "pk"), ("-ip", "pk")})
#: Window size: this many assets per requested row, plus a constant.
_EACH: Final = 4
_BESIDES: Final = 4_000


class ReachPagination(OptionalLimitPagination):
    """The list envelope. The view must provide `indexed_page`, `looked_up`, `is_wide` and `is_whole`."""

    def _every_row(self, queryset: Any, view: Any) -> list[Any]:
        if not view.is_indexed:
            return super()._every_row(queryset, view)
        page: Page = view.indexed_page(queryset, 0, pagination.MAX_LIMIT + 1)
        pagination.refuse_too_many(page.keys)
        return _loaded(queryset, page)

    def _rows(self, queryset: Any, view: Any, offset: int, limit: int) -> list[Any]:
        if view.is_indexed:
            page: Page = view.indexed_page(queryset, offset, limit)
            self.count = page.count
            return _loaded(queryset, page)
        if not view.is_wide:
            return super()._rows(queryset, view, offset, limit)
        rows = view.looked_up()
        order = tuple(queryset.query.order_by)
        if _is_filtered(view):
            return super()._rows(view.filter_queryset(rows), view, offset, limit)
        if view.has_few_candidates:
            return super()._rows(rows.order_by(*order), view, offset, limit)
        if order not in _INDEXED:
            return super()._rows(queryset, view, offset, limit)
        bound = pagination.COUNTED_ACROSS
        # A wide reach has more rows than are counted. Below a node it is not known in advance whether the reach is
        # wide.
        skipped = offset if view.is_whole else 0
        wanted = limit + 1 if view.is_whole else max(bound, offset + limit) + 1
        window = rows.filter(_ahead_of((skipped + wanted) * _EACH + _BESIDES, order))
        keys = keyed.keys_of(keyed.query_for(window.order_by(*order)), skipped, wanted)
        if len(keys) < wanted:
            return super()._rows(queryset, view, offset, limit)
        self.is_minimum, self.count = True, max(bound, offset + limit)
        return keyed.read(rows, keys[offset - skipped :][:limit])


def _ahead_of(size: int, order: tuple[str, ...]) -> Q:
    """Limit assets to the first `size` of them in order.

    The condition compares with the last value of the window. A set of asset ids would make a database look them up one
    by one and then sort.
    """
    column, falls = order[0].removeprefix("-"), order[0].startswith("-")
    end = Asset.objects.order_by(*order).values_list(column, flat=True)[size : size + 1]
    return Q(*((f"{column}__{'gte' if falls else 'lte'}", value) for value in end))


def _loaded(queryset: Any, page: Page) -> list[Any]:
    """The assets of a page, in its order, with the relations of `queryset`."""
    database = connections[DEFAULT_DB_ALIAS]
    return keyed.read(queryset, [as_stored(key, database) for key in page.keys])


def _is_filtered(view: Any) -> bool:
    """Whether the request asks for some of the rows."""
    return bool(view.request.query_params.get("search")) or filters.narrows(view.request, view)
