"""Shapes of the trees of reachable assets: the special nodes, and assets as leaves."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any
from uuid import UUID

from postern.apps.assets import facade as assets
from postern.apps.assets.models import Asset
from postern.foundation.caller import identity


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


def placed_leaves(
    keys: Sequence[UUID], places: Mapping[UUID, Sequence[UUID]], node_keys: Mapping[UUID, str]
) -> list[dict[str, Any]]:
    """The same, below each node that `places` names for the asset."""
    leaves = assets.asset_leaves(keys, cache(identity.org_name))
    return [leaf.shape(node_keys[node]) for leaf in leaves for node in places.get(leaf.id, ())]
