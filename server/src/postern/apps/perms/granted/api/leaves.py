"""Shapes of the trees of reachable assets: the special nodes, and assets as leaves."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any
from uuid import UUID

from postern.apps.assets import facade as assets
from postern.apps.assets.models import Asset, AssetNode
from postern.foundation.caller import identity

#: Assets whose places one query reads.
_AT_ONCE = 1_000


def special_node(key: str, value: str, count: int) -> dict[str, Any]:
    """A node that is not part of the tree; its id equals its key."""
    name = f"{value} ({count})"
    return {
        "id": key,
        "name": name,
        "title": name,
        "pId": "",
        "isParent": True,
        "open": False,
        "meta": {"type": "node", "data": {"id": key, "key": key, "value": value}},
    }


def leaves(places: Iterable[tuple[Asset, str]]) -> list[dict[str, Any]]:
    """Assets as leaves below the nodes with these keys."""
    org_names: dict[UUID, str] = {}
    shapes = []
    for asset, parent_key in places:
        if asset.org_id not in org_names:
            org_names[asset.org_id] = identity.org_name(asset.org_id)
        shapes.append(assets.asset_tree_node(asset, parent_key=parent_key, org_name=org_names[asset.org_id]))
    return shapes


def leaves_of(keys: Sequence[UUID], parent_key: str) -> list[dict[str, Any]]:
    """The assets with these ids as leaves below one node."""
    return [leaf.shape(parent_key) for leaf in assets.asset_leaves(keys, cache(identity.org_name))]


def placed_leaves(keys: Sequence[UUID], node_keys: Mapping[UUID, str]) -> list[dict[str, Any]]:
    """The same, below each of those nodes of `node_keys` that the asset is directly in."""
    places: dict[UUID, list[str]] = {}
    for first in range(0, len(keys), _AT_ONCE):
        rows = AssetNode.objects.filter(asset_id__in=keys[first : first + _AT_ONCE]).order_by("pk")
        for asset_id, node_id in rows.values_list("asset_id", "node_id"):
            if node_id in node_keys:
                places.setdefault(asset_id, []).append(node_keys[node_id])
    found = assets.asset_leaves(keys, cache(identity.org_name))
    return [leaf.shape(parent_key) for leaf in found for parent_key in places.get(leaf.id, ())]
