"""Re-exports the tables of assets for Django's model discovery and for the other apps."""

from postern.apps.assets.favorites.models import FavoriteAsset, FavoriteAssetQuerySet
from postern.apps.assets.host_keys.models import HostKey
from postern.apps.assets.platforms.models import LAST_INTERNAL_PLATFORM_ID, Charset, Platform, PlatformBase
from postern.apps.assets.tree.models import (
    Asset,
    AssetNode,
    AssetProtocol,
    Connectivity,
    Domain,
    Label,
    LabelCategory,
    Node,
    NodePath,
    TreeChange,
    TreeChangeKind,
    TreeVersion,
)

__all__ = [
    "LAST_INTERNAL_PLATFORM_ID",
    "Asset",
    "AssetNode",
    "AssetProtocol",
    "Charset",
    "Connectivity",
    "Domain",
    "FavoriteAsset",
    "FavoriteAssetQuerySet",
    "HostKey",
    "Label",
    "LabelCategory",
    "Node",
    "NodePath",
    "Platform",
    "PlatformBase",
    "TreeChange",
    "TreeChangeKind",
    "TreeVersion",
]
