"""JSON forms of nodes and assets for the console's tree (contract: nodes, "Tree node shapes"). Pure functions."""

from typing import Any, Final

from postern.apps.assets.platforms.models import PlatformBase
from postern.apps.assets.tree.models import Asset, Node

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
    return {
        "id": str(asset.pk),
        "name": asset.hostname,
        "title": asset.ip,
        "pId": parent_key,
        "isParent": False,
        "open": False,
        "iconSkin": _ICONS.get(asset.platform.base, "file"),
        "chkDisabled": not asset.is_active,
        "meta": {
            "type": "asset",
            "data": {
                "id": str(asset.pk),
                "hostname": asset.hostname,
                "ip": asset.ip,
                "protocols": [str(row) for row in asset.protocol_rows.all()],
                "platform": asset.platform.name,
                "org_name": org_name,
            },
        },
    }
