"""Public interface of the assets app for other apps.

Other apps may read the models through relations. They write through this module only.
"""

from postern.apps.assets.assets.actions.assets import create_asset
from postern.apps.assets.assets.actions.connectivity import note_connectivity
from postern.apps.assets.assets.actions.facts import note_facts
from postern.apps.assets.assets.addresses import check_address
from postern.apps.assets.assets.admin_users import AdminUserDirectory
from postern.apps.assets.assets.gateways import GatewayDirectory
from postern.apps.assets.assets.protocols import DEFAULT_PROTOCOLS, ProtocolPort
from postern.apps.assets.assets.protocols import parse as parse_protocol
from postern.apps.assets.domains.chains import way_to
from postern.apps.assets.host_keys.actions import Owner as HostKeyOwner
from postern.apps.assets.host_keys.actions import check_gateway_host_key, check_host_key, forget_host_keys_of
from postern.apps.assets.nodes.tree_shapes import AssetLeaf, asset_leaves, asset_tree_node, node_tree_node
from postern.apps.assets.tree.actions import check_deletion as check_node_deletion
from postern.apps.assets.tree.actions import check_move as check_node_move
from postern.apps.assets.tree.actions import create_node, delete_node
from postern.apps.assets.tree.actions import ensure_root as ensure_root_node
from postern.apps.assets.tree.actions import hold as hold_trees
from postern.apps.assets.tree.checking import TreeFaults
from postern.apps.assets.tree.checking import correct as correct_tree
from postern.apps.assets.tree.checking import find_faults as find_tree_faults
from postern.apps.assets.tree.queries import (
    AssetBrief,
    admin_users_of,
    asset_counts,
    assets_in,
    below,
    domains_of,
    has_more_below,
    stands_below,
    unreachable_assets,
)
from postern.apps.assets.tree.queries import briefs as asset_briefs

__all__ = [
    "DEFAULT_PROTOCOLS",
    "AdminUserDirectory",
    "AssetBrief",
    "AssetLeaf",
    "GatewayDirectory",
    "HostKeyOwner",
    "ProtocolPort",
    "TreeFaults",
    "admin_users_of",
    "asset_briefs",
    "asset_counts",
    "asset_leaves",
    "asset_tree_node",
    "assets_in",
    "below",
    "check_address",
    "check_gateway_host_key",
    "check_host_key",
    "check_node_deletion",
    "check_node_move",
    "correct_tree",
    "create_asset",
    "create_node",
    "delete_node",
    "domains_of",
    "ensure_root_node",
    "find_tree_faults",
    "forget_host_keys_of",
    "has_more_below",
    "hold_trees",
    "node_tree_node",
    "note_connectivity",
    "note_facts",
    "parse_protocol",
    "stands_below",
    "unreachable_assets",
    "way_to",
]
