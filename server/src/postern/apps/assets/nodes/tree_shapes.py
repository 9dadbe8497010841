"""JSON forms of nodes and assets for the console's tree (contract: nodes, "Tree node shapes")."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, Protocol
from uuid import UUID

import msgspec
from django.db import DEFAULT_DB_ALIAS, connections
from msgspec.structs import replace

from postern.apps.assets.platforms.models import Platform, PlatformBase
from postern.apps.assets.tree.models import Asset, AssetProtocol
from postern.foundation.database.prepared import as_stored
from postern.foundation.database.prepared_keys import TuplesByKey

_ICONS: Final[dict[str, str]] = {PlatformBase.WINDOWS.value: "windows", PlatformBase.LINUX.value: "linux"}


class ShownNode(Protocol):
    """A node, or what a list shows of one."""

    pk: UUID
    key: str
    value: str


def node_tree_node(
    node: ShownNode, count: int, *, parent_key: str = "", is_open: bool = False, full: bool = False
) -> dict[str, Any]:
    """A node; its name contains the number of assets in its subtree. `full` adds the fields of `nodes/tree/`."""
    name = f"{node.value} ({count})"
    data: dict[str, Any] = {"id": str(node.pk), "key": node.key, "value": node.value}
    shape: dict[str, Any] = {
        "id": node.key,
        "name": name,
        "title": name,
        "pId": parent_key,
        "isParent": True,
        "open": is_open,
        "meta": {"type": "node", "data": data},
    }
    if full:
        shape |= {"iconSkin": "", "nocheck": False}
        data |= {"name": node.value, "assets_amount": count}
    return shape


class LeafData(msgspec.Struct, gc=False):
    """An asset as a leaf names it. `protocols` are texts such as `ssh/22`."""

    id: str
    hostname: str
    ip: str
    protocols: list[str]
    platform: str
    org_name: str


class LeafMeta(msgspec.Struct, gc=False):
    """What a leaf stands for."""

    data: LeafData
    type: str = "asset"


class AssetLeaf(msgspec.Struct, gc=False):
    """An asset as a leaf of the tree.

    Trees hold tens of thousands of leaves, and the collector would look through all of them again and again.
    """

    id: str
    name: str
    title: str
    pId: str  # noqa: N815 - a name of the contract, as the following ones
    iconSkin: str  # noqa: N815
    chkDisabled: bool  # noqa: N815
    meta: LeafMeta
    isParent: bool = False  # noqa: N815
    open: bool = False

    def below(self, parent_key: str) -> "AssetLeaf":
        """The same leaf below the node with this key."""
        return replace(self, pId=parent_key)


def asset_tree_node(asset: Asset, *, parent_key: str, org_name: str) -> AssetLeaf:
    """An asset as a leaf of the tree. Reads `platform` and `protocol_rows`, so load both with the asset."""
    protocols = [str(row) for row in asset.protocol_rows.all()]
    data = LeafData(str(asset.pk), asset.hostname, asset.ip, protocols, asset.platform.name, org_name)
    return _leaf(data, asset.platform.base, is_active=asset.is_active).below(parent_key)


def _leaf(data: LeafData, base: str, *, is_active: bool) -> AssetLeaf:
    icon = _ICONS.get(base, "file")
    return AssetLeaf(data.id, data.hostname, data.ip, "", icon, not is_active, LeafMeta(data))


def asset_leaves(keys: Sequence[UUID], org_names: Callable[[UUID], str]) -> dict[UUID, AssetLeaf]:
    """The leaves of these assets, in this order, below no node. Assets that are gone are left out. Two queries for each
    1,024.
    """
    database = connections[DEFAULT_DB_ALIAS]
    platforms = {key: (name, base) for key, name, base in Platform.objects.values_list("pk", "name", "base")}
    stored_keys = [as_stored(key, database) for key in keys]
    protocols: defaultdict[Any, list[str]] = defaultdict(list)
    for asset, name, port in _protocols().stored(stored_keys):
        protocols[asset].append(f"{name}/{port}")
    rows = {row[0]: row for row in _leaves().stored(stored_keys)}
    org_of = cache(lambda org_id: org_names(org_id if isinstance(org_id, UUID) else UUID(org_id)))
    leaves: dict[UUID, AssetLeaf] = {}
    for key, stored in zip(keys, stored_keys, strict=True):
        row = rows.get(stored)
        if row is not None:
            _, hostname, ip, is_active, platform_id, org_id = row
            platform, base = platforms[platform_id]
            data = LeafData(str(key), hostname, ip, protocols[stored], platform, org_of(org_id))
            leaves[key] = _leaf(data, base, is_active=is_active)
    return leaves


@cache
def _leaves() -> TuplesByKey:
    return TuplesByKey(
        lambda keys: Asset.objects.filter(pk__in=keys).order_by(),
        ("id", "hostname", "ip", "is_active", "platform_id", "org_id"),
    )


@cache
def _protocols() -> TuplesByKey:
    return TuplesByKey(
        lambda keys: AssetProtocol.objects.filter(asset_id__in=keys).order_by("asset_id", "position"),
        ("asset_id", "name", "port"),
    )
