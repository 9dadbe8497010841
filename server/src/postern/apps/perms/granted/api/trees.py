"""The tree of nodes that hold reachable assets, and the special node of directly granted assets."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.translation import gettext as _
from rest_framework.request import Request

from postern.apps.assets import facade as assets
from postern.apps.assets.models import Asset, Node
from postern.apps.assets.tree.node_keys import is_key, parent_of, sort_key
from postern.apps.perms.granted.api import tree_limits
from postern.apps.perms.granted.api.asset_forms import Form, Mine
from postern.apps.perms.granted.api.leaves import leaves, leaves_of, placed_leaves, special_node
from postern.apps.perms.granted.api.lists import FAVORITE, UNGROUPED, with_shown
from postern.apps.perms.granted.api.shown_nodes import ShownNode, shown, visible
from postern.apps.perms.granted.reach import Reach
from postern.foundation.rest.large_answers import large_answer
from postern.foundation.rest.viewsets import RowNotFound
from postern.kernel.ids import parse_id

_BY_NAME = ("hostname", "pk")


class MyUngroupedTree(Mine):
    """The special node of directly granted assets, with these assets."""

    def get(self, request: Request, **kwargs: Any) -> HttpResponse:
        reach = self.listed_reach()
        if reach.indexed is not None:
            page = tree_limits.first_page(reach.indexed, reach.indexed.directly_granted(), _BY_NAME)
            named, cut = leaves_of(page.keys, UNGROUPED), tree_limits.is_cut(page)
        else:
            granted = reach.directly_granted().values("pk")
            rows = with_shown(reach.assets(include_inactive=True).filter(pk__in=granted)).order_by(*_BY_NAME)
            first, cut = tree_limits.first_assets(rows)
            named = leaves((asset, UNGROUPED) for asset in first)
        tree = [special_node(UNGROUPED, _("Ungrouped"), len(named)), *named]
        return large_answer(tree_limits.told(tree, cut=cut, parent_key=UNGROUPED))


class ReachableNodes(Form):
    """The nodes of the tree.

    `mode`: flat rows or tree shapes; one level (`children`) or all; with or without assets.
    """

    children: ClassVar[bool] = False
    as_tree: ClassVar[bool] = False
    with_assets: ClassVar[bool] = False

    def get(self, request: Request, **kwargs: Any) -> HttpResponse:
        reach = self.listed_reach()
        key = self._key(reach)
        if key == FAVORITE:
            return large_answer(self._favorites(reach) if self.with_assets else [])
        nodes = self._level(reach, key) if self.children else visible(reach)
        nodes.sort(key=lambda node: sort_key(node.key))
        shown_ids = [node.pk for node in nodes]
        counts = reach.counts(shown_ids) if reach.indexed is None else reach.indexed.counts(shown_ids)
        shaped_nodes: list[Any] = [self._shape(node, counts.get(node.pk, 0)) for node in nodes]
        if not key and self.is_me():
            shaped_nodes.insert(0, self._favorite_node(reach))
        if self.with_assets and (key or not self.children):
            shaped_nodes.extend(self._assets_in(reach, key, nodes))
        return large_answer(shaped_nodes)

    def _level(self, reach: Reach, key: str) -> list[ShownNode]:
        """The visible nodes below the node with this key, or the roots."""
        rows = Node.objects.filter(parent__key=key) if key else Node.objects.filter(parent__isnull=True)
        if reach.indexed is None:
            return shown(reach.visible_nodes().filter(pk__in=rows.values("pk")))
        return [node for node in shown(rows) if reach.indexed.is_visible(node.pk)]

    def _key(self, reach: Reach) -> str:
        params = self.request.query_params
        if params.get("id"):
            node_id = parse_id(params["id"])
            node = reach.visible_node(node_id) if node_id else None
            return node.key if node is not None else params["id"]
        key = params.get("key", "")
        if key and key != FAVORITE and not is_key(key):
            raise RowNotFound(_("Not found."))
        return key

    def _shape(self, node: ShownNode, count: int) -> dict[str, Any]:
        if self.as_tree:
            parent = parent_of(node.key) or ""
            return assets.node_tree_node(node, count, parent_key=parent, is_open=not parent)
        return {
            "id": str(node.pk),
            "name": node.value,
            "key": node.key,
            "value": node.value,
            "org_id": str(node.org_id),
            "assets_amount": count,
        }

    def _favorite_node(self, reach: Reach) -> dict[str, Any]:
        count = self._starred(reach).count()
        value = _("Favorite")
        if not self.as_tree:
            return {
                "id": FAVORITE,
                "name": value,
                "key": FAVORITE,
                "value": value,
                "org_id": "",
                "assets_amount": count,
            }
        return special_node(FAVORITE, value, count)

    def _starred(self, reach: Reach) -> QuerySet[Asset]:
        return reach.among(Asset.objects.filter(pk__in=self.stars().values("asset_id")))

    def _favorites(self, reach: Reach) -> list[assets.AssetLeaf]:
        rows = self._starred(reach).select_related("platform").prefetch_related("protocol_rows")
        return leaves((asset, FAVORITE) for asset in rows.order_by("hostname", "pk"))

    def _assets_in(self, reach: Reach, key: str, nodes: Sequence[ShownNode]) -> list[Any]:
        """The leaves of the reachable assets directly in the node with this key; without a key, in the given nodes."""
        keys = {node.pk: node.key for node in nodes}
        if key:
            parent = Node.objects.filter(key=key).first()
            parent = parent and reach.visible_node(parent.pk)
            keys = {parent.pk: parent.key} if parent else {}
        if reach.indexed is not None:
            members = (
                reach.indexed.directly_in(next(iter(keys)))
                if key and keys
                else reach.indexed.assets(include_inactive=True)
            )
            page = tree_limits.first_page(reach.indexed, members if keys else {}, _BY_NAME)
            placed = placed_leaves(page.keys, reach.indexed.places(keys, page.keys), keys)
            return tree_limits.told(placed, cut=tree_limits.is_cut(page), parent_key=key)
        rows = reach.assets(include_inactive=True).filter(node_rows__node_id__in=keys).distinct()
        rows = with_shown(rows).prefetch_related("node_rows").order_by(*_BY_NAME)
        first, cut = tree_limits.first_assets(rows)
        placed = leaves(
            (asset, keys[place.node_id]) for asset in first for place in asset.node_rows.all() if place.node_id in keys
        )
        return tree_limits.told(placed, cut=cut, parent_key=key)
