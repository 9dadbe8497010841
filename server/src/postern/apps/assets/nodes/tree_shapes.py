"""JSON forms of nodes and assets for the console's tree (contract: nodes, "Tree node shapes")."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections

from postern.apps.assets.platforms.models import Platform, PlatformBase
from postern.apps.assets.tree.models import Asset, AssetProtocol, Node
from postern.foundation.database.prepared import as_stored
from postern.foundation.database.prepared_keys import TuplesByKey

_ICONS: Final[dict[str, str]] = {PlatformBase.WINDOWS.value: "windows", PlatformBase.LINUX.value: "linux"}


def node_tree_node(
    node: Node, count: int, *, parent_key: str = "", is_open: bool = False, full: bool = False
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


def asset_tree_node(asset: Asset, *, parent_key: str, org_name: str) -> dict[str, Any]:
    """An asset as a leaf of the tree. Reads `platform` and `protocol_rows`, so load both with the asset."""
    leaf = AssetLeaf(
        id=asset.pk,
        hostname=asset.hostname,
        ip=asset.ip,
        is_active=asset.is_active,
        platform=asset.platform.name,
        base=asset.platform.base,
        protocols=[str(row) for row in asset.protocol_rows.all()],
        org_name=org_name,
    )
    return leaf.shape(parent_key)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetLeaf:
    """What a leaf shows of an asset. `base` is the base of its platform; `protocols` are texts such as `ssh/22`."""

    id: UUID
    hostname: str
    ip: str
    is_active: bool
    platform: str
    base: str
    protocols: list[str]
    org_name: str

    def shape(self, parent_key: str) -> dict[str, Any]:
        """The leaf below the node with this key."""
        key = str(self.id)
        return {
            "id": key,
            "name": self.hostname,
            "title": self.ip,
            "pId": parent_key,
            "isParent": False,
            "open": False,
            "iconSkin": _ICONS.get(self.base, "file"),
            "chkDisabled": not self.is_active,
            "meta": {
                "type": "asset",
                "data": {
                    "id": key,
                    "hostname": self.hostname,
                    "ip": self.ip,
                    "protocols": self.protocols,
                    "platform": self.platform,
                    "org_name": self.org_name,
                },
            },
        }


def asset_leaves(keys: Sequence[UUID], org_names: Callable[[UUID], str]) -> list[AssetLeaf]:
    """The leaves of these assets, in this order. Assets that are gone are left out. Two queries for each 1,024."""
    database = connections[DEFAULT_DB_ALIAS]
    platforms = {key: (name, base) for key, name, base in Platform.objects.values_list("pk", "name", "base")}
    by_stored = {as_stored(key, database): key for key in keys}
    protocols: defaultdict[UUID, list[str]] = defaultdict(list)
    for asset, name, port in _protocols().stored(list(by_stored)):
        protocols[by_stored[asset]].append(f"{name}/{port}")
    leaves_by_key: dict[UUID, AssetLeaf] = {}
    org_of = cache(lambda org_id: org_names(org_id if isinstance(org_id, UUID) else UUID(org_id)))
    for stored, hostname, ip, is_active, platform_id, org_id in _leaves().stored(list(by_stored)):
        key, (platform, base) = by_stored[stored], platforms[platform_id]
        leaves_by_key[key] = AssetLeaf(
            id=key,
            hostname=hostname,
            ip=ip,
            is_active=bool(is_active),
            platform=platform,
            base=base,
            protocols=protocols[key],
            org_name=org_of(org_id),
        )
    return [leaves_by_key[key] for key in keys if key in leaves_by_key]


@cache
def _leaves() -> TuplesByKey:
    return TuplesByKey(
        lambda keys: Asset.objects.filter(pk__in=keys).order_by(),
        ("id", "hostname", "ip", "is_active", "platform_id", "org_id"),
    )


@cache
def _protocols() -> TuplesByKey:
    return TuplesByKey(
        lambda keys: AssetProtocol.objects.filter(asset_id__in=keys).order_by("position"),
        ("asset_id", "name", "port"),
    )
