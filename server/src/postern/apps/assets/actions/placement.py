"""Which assets stand in which nodes. An asset always stands in one at least: whoever loses the last falls to the root."""

from collections.abc import Collection, Sequence
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.assets import change_log
from postern.apps.assets.change_log import TreeWrite
from postern.apps.assets.errors import NodeNotFound
from postern.apps.assets.events import AssetsChanged
from postern.apps.assets.models import Asset, AssetNode, Node, TreeChangeKind
from postern.apps.audits import facade as audits
from postern.foundation import events
from postern.foundation.actor import Actor

_BATCH: Final = 500
#: The audit row names the assets up to this many; a longer list is counted.
_NAMED_IN_AUDIT: Final = 50


@transaction.atomic
def add_assets(*, actor: Actor, node: Node, assets: Sequence[Asset]) -> None:
    """Put the assets into the node as well."""
    write = change_log.begin(node.org_id)
    _require_node(node)
    _put(write, node, [asset.pk for asset in assets])
    _finish(actor, node, "node.assets_added", assets)


@transaction.atomic
def remove_assets(*, actor: Actor, node: Node, assets: Sequence[Asset]) -> None:
    """Take the assets out of the node; those that stand nowhere else go to the root."""
    write = change_log.begin(node.org_id)
    _require_node(node)
    ids = [asset.pk for asset in assets]
    AssetNode.objects.filter(node=node, asset_id__in=ids).delete()
    still_placed = set(AssetNode.objects.filter(asset_id__in=ids).values_list("asset_id", flat=True))
    orphans = [asset_id for asset_id in ids if asset_id not in still_placed]
    if orphans:
        _put(write, root_of(node.org_id), orphans)
    write.touch(TreeChangeKind.NODE, [node.pk])
    _finish(actor, node, "node.assets_removed", assets)


@transaction.atomic
def replace_assets(*, actor: Actor, node: Node, assets: Sequence[Asset]) -> None:
    """Move the assets: afterwards they stand in this node only."""
    write = change_log.begin(node.org_id)
    _require_node(node)
    ids = [asset.pk for asset in assets]
    left = AssetNode.objects.filter(asset_id__in=ids).exclude(node=node)
    touched = set(left.values_list("node_id", flat=True))
    left.delete()
    _put(write, node, ids)
    write.touch(TreeChangeKind.NODE, touched)
    _finish(actor, node, "node.assets_moved", assets)


def set_nodes(write: TreeWrite, asset: Asset, node_ids: Collection[UUID]) -> None:
    """Make `node_ids` exactly the places of the asset; none means the root. For writes that hold the lock already."""
    wanted = set(node_ids) or {root_of(asset.org_id).pk}
    known = set(Node.objects.filter(org_id=asset.org_id, pk__in=wanted).values_list("pk", flat=True))
    if known != wanted:
        raise NodeNotFound(_("There is no such node."))
    held = set(AssetNode.objects.filter(asset=asset).values_list("node_id", flat=True))
    AssetNode.objects.filter(asset=asset, node_id__in=held - wanted).delete()
    AssetNode.objects.bulk_create(
        [AssetNode(asset=asset, node_id=node_id) for node_id in sorted(wanted - held, key=str)]
    )
    write.touch(TreeChangeKind.NODE, held ^ wanted)


def root_of(org_id: UUID) -> Node:
    """The root node of an organization. Raises `NodeNotFound` when it has none."""
    root: Node | None = Node.objects.filter(org_id=org_id, parent__isnull=True).first()
    if root is None:
        raise NodeNotFound(_("The organization has no root node."))
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
        raise NodeNotFound(_("There is no such node."))


def _finish(actor: Actor, node: Node, event: str, assets: Sequence[Asset]) -> None:
    named = [asset.hostname for asset in assets[:_NAMED_IN_AUDIT]]
    audits.record_change(
        actor=actor, action="update", event=event, target=node, new={"assets": named, "count": len(assets)}
    )
    events.publish(AssetsChanged(org_id=node.org_id))
