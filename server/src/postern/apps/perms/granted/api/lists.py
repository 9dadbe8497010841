"""Lists of reachable assets: all, below a node, and as a tree without nodes."""

from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets import facade as assets
from postern.apps.assets.models import Asset
from postern.apps.perms.granted.api import tree_limits
from postern.apps.perms.granted.api.asset_forms import Form
from postern.apps.perms.granted.api.leaves import leaves, leaves_of
from postern.apps.perms.granted.api.pages import ReachPagination
from postern.apps.perms.granted.api.serializers import GrantedAssetSerializer
from postern.apps.perms.granted.indexed import IndexedReach, Members, Page
from postern.apps.perms.granted.reach import Reach
from postern.apps.perms.index.world import SEARCHED
from postern.foundation.rest import pagination
from postern.foundation.rest.filters import TermSearch, narrows, search_terms
from postern.foundation.rest.large_answers import large_answer
from postern.foundation.rest.viewsets import RowNotFound, RowsViewSet
from postern.kernel.ids import parse_id

#: Id and key of the special node with the user's favourites.
FAVORITE = "favorite"
UNGROUPED = "ungrouped"


class ReachableAssets(RowsViewSet, Form):
    """All reachable assets."""

    queryset = Asset.objects.all()
    serializer_class = GrantedAssetSerializer
    pagination_class = ReachPagination
    filter_fields = ("hostname", "ip", "id", "comment")
    described_filters = ("system_user",)
    search_fields = SEARCHED
    #: Declared here, because deriving the columns from the queryset would compose the reachable assets a second time.
    ordering_fields = ("hostname", "ip", "os", "comment", "is_active", "org_id", "id")

    def visible_rows(self) -> QuerySet[Asset]:
        return with_shown(self.own_reach.assets(include_inactive=True).filter(self.candidates))

    def looked_up(self) -> QuerySet[Asset]:
        """The same rows, each checked against the permissions (`Reach.among`)."""
        return with_shown(self.own_reach.among(Asset.objects.filter(self.candidates)))

    @cached_property
    def own_reach(self) -> Reach:
        return self.listed_reach()

    @property
    def is_indexed(self) -> bool:
        """Whether the index answers."""
        return self.own_reach.indexed is not None

    def members(self, index: IndexedReach) -> Members:
        """The assets to which the list is limited, from the index."""
        return index.assets(include_inactive=True)

    def indexed_page(self, matching: QuerySet[Asset], offset: int, limit: int) -> Page:
        """A page of those members that `matching` selects and orders."""
        index = self.own_reach.indexed
        if index is None:
            raise LookupError("the index does not answer inside a transaction")
        numbers = index.with_words(self.members(index), search_terms(self.request))
        if narrows(self.request, self):
            numbers = index.search(numbers, matching)
        return index.page(numbers, tuple(matching.query.order_by), offset, limit)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows of `queryset` that the request asks for. The index itself looks for the words of a search."""
        for backend in self.filter_backends:
            if not (self.is_indexed and backend is TermSearch):
                queryset = backend().filter_queryset(self.request, queryset, self)
        return queryset

    @cached_property
    def is_wide(self) -> bool:
        """Whether more assets are reachable than are counted."""
        return self.own_reach.is_wider_than(pagination.COUNTED_ACROSS)

    @cached_property
    def candidates(self) -> Q:
        """The assets to which the list is limited."""
        return Q()

    @property
    def is_whole(self) -> bool:
        """Whether the list contains all reachable assets."""
        return not self.candidates

    #: Whether there are few candidates, so that a page is cheap however many assets are reachable.
    has_few_candidates = False

    def list(self, request: Request, **kwargs: Any) -> Response:
        # The index knows which assets are reachable; `matching` then only says which of them are asked for.
        matching = with_shown(Asset.objects.all()) if self.is_indexed else self.get_queryset()
        rows = self.filter_queryset(matching)
        page = self.paginate_queryset(rows)
        asset_rows = self.get_serializer(page if page is not None else rows, many=True).data
        return self.get_paginated_response(asset_rows) if page is not None else Response(asset_rows)


class ReachableNodeAssets(ReachableAssets):
    """Reachable assets below one node; the special nodes `favorite` and `ungrouped` work too."""

    def members(self, index: IndexedReach) -> Members:
        text = str(self.kwargs["node_id"])
        if text == FAVORITE:
            return index.among(Asset.objects.filter(pk__in=self.stars().values("asset_id")))
        if text == UNGROUPED:
            return index.directly_granted()
        node_id = parse_id(text)
        if node_id is None or not index.is_visible(node_id):
            raise RowNotFound(_("Not found."))
        return index.below(node_id)

    @cached_property
    def candidates(self) -> Q:
        text = str(self.kwargs["node_id"])
        if text == FAVORITE:
            self.has_few_candidates = True
            return Q(pk__in=self.stars().values("asset_id"))
        if text == UNGROUPED:
            self.has_few_candidates = True
            return Q(pk__in=self.own_reach.directly_granted().values("pk"))
        node_id = parse_id(text)
        node = self.own_reach.visible_node(node_id) if node_id else None
        if node is None:
            raise RowNotFound(_("Not found."))
        self.has_few_candidates = not assets.has_more_below(node, pagination.COUNTED_ACROSS)
        if self.has_few_candidates:
            return Q(pk__in=assets.assets_in(node, all_below=True).values("pk"))
        return Q(assets.stands_below(node))


class ReachableAssetsTree(ReachableAssets):
    """The same assets as leaves of a tree without nodes."""

    #: Otherwise the API description would assume a list.
    lists_rows = False

    def list(self, request: Request, **kwargs: Any) -> HttpResponse:  # type: ignore[override]  # quicker than DRF's
        if not self.is_indexed:
            rows, cut = tree_limits.first_assets(self.filter_queryset(self.get_queryset()))
            return large_answer(tree_limits.told(leaves((asset, "") for asset in rows), cut=cut))
        matching = self.filter_queryset(with_shown(Asset.objects.all()))
        page = self.indexed_page(matching, 0, tree_limits.MAX_TREE_ASSETS)
        return large_answer(tree_limits.told(leaves_of(page.keys, ""), cut=tree_limits.is_cut(page)))


def with_shown(rows: QuerySet[Asset]) -> QuerySet[Asset]:
    """The assets with what their rows show."""
    return rows.select_related("platform").prefetch_related("protocol_rows")
