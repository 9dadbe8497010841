"""Placement of assets in nodes.

An asset is always in at least one node: an asset that is removed from its last node moves to the root node.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.assets.tree import change_log
from postern.apps.assets.tree.change_log import TreeWrite
from postern.apps.assets.tree.errors import NodeNotFound
from postern.apps.assets.tree.events import AssetsChanged, AssetsPlaced
from postern.apps.assets.tree.models import Asset, AssetNode, Node, TreeChangeKind
from postern.apps.audits import facade as audits
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor

_BATCH: Final = 500
#: The audit record names at most this many assets; for a longer list it stores the count.
_NAMED_IN_AUDIT: Final = 50


@transaction.atomic
def add_assets(*, actor: Actor, node: Node, assets: Sequence[Asset]) -> None:
    """Add the assets to the node. They stay in their other nodes."""
    write = change_log.begin(node.org_id)
    _require_node(node)
    there = _standing_in(node, assets)
    fresh = [asset for asset in assets if asset.pk not in there]
    if not fresh:
        return
    ids = [asset.pk for asset in fresh]
    before = _places_of(ids)
    _put(write, node, ids)
    _tell_placed(actor, node, ids, before)
    _finish(actor, node, audits.Event.NODE_ASSETS_ADDED, new={"assets": _named(fresh), "count": len(fresh)})


@transaction.atomic
def remove_assets(*, actor: Actor, node: Node, assets: Sequence[Asset]) -> None:
    """Remove the assets from the node. Assets that are in no other node move to the root node."""
    write = change_log.begin(node.org_id)
    _require_node(node)
    there = _standing_in(node, assets)
    leaving = [asset for asset in assets if asset.pk in there]
    if not leaving:
        return
    ids = [asset.pk for asset in leaving]
    before = _places_of(ids)
    AssetNode.objects.filter(node=node, asset_id__in=ids).delete()
    still_placed = set(AssetNode.objects.filter(asset_id__in=ids).values_list("asset_id", flat=True))
    orphans = [asset_id for asset_id in ids if asset_id not in still_placed]
    if orphans:
        root = root_of(node.org_id)
        _put(write, root, orphans)
        _tell_placed(actor, root, orphans, before)
    write.touch(TreeChangeKind.NODE, [node.pk])
    _finish(actor, node, audits.Event.NODE_ASSETS_REMOVED, old={"assets": _named(leaving), "count": len(leaving)})


@transaction.atomic
def replace_assets(*, actor: Actor, node: Node, assets: Sequence[Asset]) -> None:
    """Move the assets to this node: afterwards they are in no other node."""
    write = change_log.begin(node.org_id)
    _require_node(node)
    ids = [asset.pk for asset in assets]
    left = AssetNode.objects.filter(asset_id__in=ids).exclude(node=node)
    pairs = set(left.values_list("asset_id", "node_id", "node__full_value"))
    there = _standing_in(node, assets)
    elsewhere = {asset_id for asset_id, _node_id, _value in pairs}
    moved = [asset for asset in assets if asset.pk in elsewhere or asset.pk not in there]
    if not moved:
        return
    before = _places_of(ids)
    left.delete()
    _put(write, node, ids)
    _tell_placed(actor, node, [asset_id for asset_id in ids if asset_id not in there], before)
    write.touch(TreeChangeKind.NODE, {node_id for _asset_id, node_id, _value in pairs})
    former = sorted({value for _asset_id, _node_id, value in pairs})[:_NAMED_IN_AUDIT]
    _finish(
        actor,
        node,
        audits.Event.NODE_ASSETS_MOVED,
        old={"nodes": former},
        new={"assets": _named(moved), "count": len(moved)},
    )


def root_of(org_id: UUID) -> Node:
    """The root node of an organization. Raises `NodeNotFound` when it is missing."""
    root: Node | None = Node.objects.filter(org_id=org_id, parent__isnull=True).first()
    if root is None:
        raise NodeNotFound(
            _(
                "The organization has no root node. Ask an operator to restart Postern, which creates missing root nodes."
            )
        )
    return root


def _put(write: TreeWrite, node: Node, asset_ids: Sequence[UUID]) -> None:
    AssetNode.objects.bulk_create(
        [AssetNode(node=node, asset_id=asset_id) for asset_id in dict.fromkeys(asset_ids)],
        ignore_conflicts=True,
        batch_size=_BATCH,
    )
    write.touch(TreeChangeKind.NODE, [node.pk])


def _require_node(node: Node) -> None:
    if not Node.objects.filter(pk=node.pk).exists():
        raise NodeNotFound(_("The node was not found. It may have been deleted; reload the tree."))


def _standing_in(node: Node, assets: Sequence[Asset]) -> set[UUID]:
    """Ids of those assets that are directly in the node."""
    rows = AssetNode.objects.filter(node=node, asset_id__in=[asset.pk for asset in assets])
    return set(rows.values_list("asset_id", flat=True))


def _places_of(asset_ids: Sequence[UUID]) -> Mapping[UUID, frozenset[UUID]]:
    """The nodes that each asset is directly in."""
    nodes: defaultdict[UUID, set[UUID]] = defaultdict(set)
    rows = AssetNode.objects.filter(asset_id__in=asset_ids).order_by()
    for asset_id, node_id in rows.values_list("asset_id", "node_id"):
        nodes[asset_id].add(node_id)
    return {asset_id: frozenset(node_ids) for asset_id, node_ids in nodes.items()}


def _tell_placed(actor: Actor, node: Node, asset_ids: Sequence[UUID], before: Mapping[UUID, frozenset[UUID]]) -> None:
    nodes = dict.fromkeys(asset_ids, frozenset((node.pk,)))
    events.publish(AssetsPlaced(by=actor, org_id=node.org_id, nodes=nodes, before=before))


def _named(assets: Sequence[Asset]) -> list[str]:
    return [asset.hostname for asset in assets[:_NAMED_IN_AUDIT]]


def _finish(
    actor: Actor,
    node: Node,
    event: audits.Event,
    *,
    old: Mapping[str, object] | None = None,
    new: Mapping[str, object] | None = None,
) -> None:
    audits.record_change(actor=actor, action="update", event=event, target=node, old=old, new=new)
    events.publish(AssetsChanged(org_id=node.org_id))
