"""Related rows of assets: protocols, node placements and labels.

They are written for many assets with a few queries, under the lock of the tree.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from postern.apps.assets.assets.protocols import ProtocolPort
from postern.apps.assets.tree.actions import ensure_path
from postern.apps.assets.tree.change_log import TreeWrite
from postern.apps.assets.tree.errors import NodeNotFound
from postern.apps.assets.tree.events import AssetsPlaced
from postern.apps.assets.tree.models import Asset, AssetNode, AssetProtocol, Label, Node, TreeChangeKind
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks, row_writes
from postern.foundation.database.prepared import PreparedQuery

#: Values of an asset that are lists of related rows; every other value is a column.
LISTS: Final = frozenset({"protocols", "nodes", "node_paths", "labels"})

#: Assets with their requested values.
Pairs = Sequence[tuple[Asset, Mapping[str, Any]]]
#: The lists of one asset as the audit record stores them.
Shown = dict[str, list[str]]

_Labelling: Final[Any] = Asset.labels.through


def give(actor: Actor, write: TreeWrite, pairs: Pairs) -> dict[UUID, Shown]:
    """Write the lists of new assets; an asset without a node is placed in the root node. Returns the written lists."""
    places = _wanted_places(actor, write, pairs)
    named = _named_nodes(write.org_id, places)
    if len(places) < len(pairs):
        root_id, root_value = _root(write.org_id)
        named[root_id] = root_value
        places = {asset.pk: places.get(asset.pk, {root_id}) for asset, _values in pairs}
    row_writes.insert([row for asset, values in pairs for row in _protocol_rows(asset, values.get("protocols") or ())])
    row_writes.insert(_place_rows(places))
    labelled = {asset.pk: _label_ids(asset, values["labels"]) for asset, values in pairs if values.get("labels")}
    row_locks.share(Label, (), required={label_id for label_ids in labelled.values() for label_id in label_ids})
    row_writes.insert(_label_rows(labelled))
    write.touch(TreeChangeKind.NODE, (node_id for wanted in places.values() for node_id in wanted))
    _tell_placed(actor, write, places, {})
    labels = _labels_of(list(labelled))
    return {
        asset.pk: {
            "protocols": [str(item) for item in values.get("protocols") or ()],
            "nodes": sorted(named[node_id] for node_id in places[asset.pk]),
            "labels": labels[asset.pk],
        }
        for asset, values in pairs
    }


def replace(actor: Actor, write: TreeWrite, pairs: Pairs) -> dict[UUID, tuple[Shown, Shown]]:
    """Replace the lists that are named in the values and leave the others. Returns the lists before and after."""
    keys = [asset.pk for asset, _values in pairs]
    before = shown(keys)
    written = [
        _replace_protocols(pairs, before),
        _replace_places(actor, write, _wanted_places(actor, write, pairs)),
        _replace_labels(
            {asset.pk: _label_ids(asset, values["labels"]) for asset, values in pairs if "labels" in values}
        ),
    ]
    after = shown(keys) if any(written) else before
    return {key: (before[key], after[key]) for key in keys}


def shown(keys: Sequence[UUID]) -> dict[UUID, Shown]:
    """The lists of these assets as the audit record stores them."""
    if not keys:
        return {}
    protocols: defaultdict[UUID, list[str]] = defaultdict(list)
    nodes: defaultdict[UUID, list[str]] = defaultdict(list)
    rows = AssetProtocol.objects.filter(asset_id__in=keys).order_by("position")
    for asset_id, name, port in rows.values_list("asset_id", "name", "port"):
        protocols[asset_id].append(f"{name}/{port}")
    for asset_id, value in _places_of(keys).values_list("asset_id", "node__full_value"):
        nodes[asset_id].append(value)
    labels = _labels_of(keys)
    return {key: {"protocols": protocols[key], "nodes": sorted(nodes[key]), "labels": labels[key]} for key in keys}


def nodes_of(keys: Sequence[UUID]) -> list[UUID]:
    """Ids of the nodes that hold these assets, without duplicates."""
    return list(_places_of(keys).values_list("node_id", flat=True).distinct())


def _replace_protocols(pairs: Pairs, before: Mapping[UUID, Shown]) -> bool:
    fresh: list[tuple[Asset, Sequence[ProtocolPort]]] = []
    for asset, values in pairs:
        wanted = values.get("protocols")
        if wanted and [str(item) for item in wanted] != before[asset.pk]["protocols"]:
            fresh.append((asset, wanted))
    if fresh:
        AssetProtocol.objects.filter(asset_id__in=[asset.pk for asset, _wanted in fresh]).delete()
        row_writes.insert([row for asset, wanted in fresh for row in _protocol_rows(asset, wanted)])
    return bool(fresh)


def _replace_places(actor: Actor, write: TreeWrite, wanted: Mapping[UUID, set[UUID]]) -> bool:
    if not wanted:
        return False
    _named_nodes(write.org_id, wanted)
    held: defaultdict[UUID, set[UUID]] = defaultdict(set)
    gone: list[int] = []
    touched: dict[UUID, None] = {}
    for key, asset_id, node_id in _places_of(list(wanted)).values_list("pk", "asset_id", "node_id"):
        held[asset_id].add(node_id)
        if node_id not in wanted[asset_id]:
            gone.append(key)
            touched[node_id] = None
    fresh = {asset_id: node_ids - held[asset_id] for asset_id, node_ids in wanted.items()}
    if gone:
        AssetNode.objects.filter(pk__in=gone).delete()
    row_writes.insert(_place_rows(fresh))
    _tell_placed(actor, write, fresh, held)
    touched |= {node_id: None for node_ids in fresh.values() for node_id in node_ids}
    write.touch(TreeChangeKind.NODE, touched)
    return bool(touched)


def _tell_placed(
    actor: Actor, write: TreeWrite, fresh: Mapping[UUID, set[UUID]], before: Mapping[UUID, set[UUID]]
) -> None:
    nodes = {asset_id: frozenset(node_ids) for asset_id, node_ids in fresh.items() if node_ids}
    if nodes:
        held = {asset_id: frozenset(before.get(asset_id, ())) for asset_id in nodes}
        events.publish(AssetsPlaced(by=actor, org_id=write.org_id, nodes=nodes, before=held))


def _replace_labels(wanted: Mapping[UUID, set[UUID]]) -> bool:
    if not wanted:
        return False
    held: defaultdict[UUID, set[UUID]] = defaultdict(set)
    gone: list[int] = []
    row_locks.share(Label, (), required={label_id for label_ids in wanted.values() for label_id in label_ids})
    for key, asset_id, label_id in _labellings_of(list(wanted)).values_list("pk", "asset_id", "label_id"):
        held[asset_id].add(label_id)
        if label_id not in wanted[asset_id]:
            gone.append(key)
    fresh = _label_rows({asset_id: label_ids - held[asset_id] for asset_id, label_ids in wanted.items()})
    if gone:
        _Labelling.objects.filter(pk__in=gone).delete()
    row_writes.insert(fresh)
    return bool(gone or fresh)


def _wanted_places(actor: Actor, write: TreeWrite, pairs: Pairs) -> dict[UUID, set[UUID]]:
    """Requested node ids of each asset whose values contain nodes or node paths."""
    node_ids_by_asset: dict[UUID, set[UUID]] = {}
    made: dict[str, UUID] = {}
    for asset, values in pairs:
        paths = values.get("node_paths")
        for path in paths or ():
            if path not in made:
                made[path] = ensure_path(actor=actor, org_id=write.org_id, path=path).pk
        if paths:
            node_ids_by_asset[asset.pk] = {made[path] for path in paths}
        elif values.get("nodes"):
            node_ids_by_asset[asset.pk] = {node.pk for node in values["nodes"]}
    return node_ids_by_asset


def _named_nodes(org_id: UUID, places: Mapping[UUID, Collection[UUID]]) -> dict[UUID, str]:
    """Full values of all these nodes. Raises `NodeNotFound` for a node of another organization or a missing node."""
    wanted = {node_id for node_ids in places.values() for node_id in node_ids}
    rows = Node.objects.filter(org_id=org_id, pk__in=wanted) if wanted else Node.objects.none()
    full_values = dict(rows.values_list("pk", "full_value"))
    if len(full_values) < len(wanted):
        raise NodeNotFound(_("The node was not found. It may have been deleted; reload the tree."))
    return full_values


def _root(org_id: UUID) -> tuple[UUID, str]:
    root_rows = _roots().tuples(org_id=org_id)
    if not root_rows:
        raise NodeNotFound(
            _(
                "The organization has no root node. Ask an operator to restart Postern, which creates missing root nodes."
            )
        )
    root_id, value = root_rows[0]
    return root_id, value


@cache
def _roots() -> PreparedQuery:
    return PreparedQuery(
        lambda org_id: Node.objects.filter(org_id=org_id, parent__isnull=True).order_by(),
        stand_ins={"org_id": UUID(int=1)},
        columns=("id", "full_value"),
    )


def _labels_of(keys: Sequence[UUID]) -> defaultdict[UUID, list[str]]:
    label_texts: defaultdict[UUID, list[str]] = defaultdict(list)
    rows = _labellings_of(keys).values_list("asset_id", "label__name", "label__value") if keys else ()
    for asset_id, name, value in rows:
        label_texts[asset_id].append(f"{name}:{value}")
    for texts in label_texts.values():
        texts.sort()
    return label_texts


def _labellings_of(keys: Sequence[UUID]) -> QuerySet[Any]:
    rows: QuerySet[Any] = _Labelling.objects.filter(asset_id__in=keys)
    return rows.order_by()


def _places_of(keys: Sequence[UUID]) -> QuerySet[AssetNode]:
    return AssetNode.objects.filter(asset_id__in=keys).order_by()


def _protocol_rows(asset: Asset, protocols: Sequence[ProtocolPort]) -> list[AssetProtocol]:
    return [
        AssetProtocol(asset=asset, name=item.name.value, port=item.port, position=position)
        for position, item in enumerate(protocols)
    ]


def _place_rows(places: Mapping[UUID, Collection[UUID]]) -> list[AssetNode]:
    return [
        AssetNode(asset_id=asset_id, node_id=node_id)
        for asset_id, node_ids in places.items()
        for node_id in sorted(node_ids, key=str)
    ]


def _label_rows(labels: Mapping[UUID, Collection[UUID]]) -> list[Any]:
    return [_Labelling(asset_id=asset_id, label_id=label_id) for asset_id, ids in labels.items() for label_id in ids]


def _label_ids(asset: Asset, labels: Sequence[Label]) -> set[UUID]:
    """Ids of the requested labels, without labels of other organizations."""
    return {label.pk for label in labels if label.org_id == asset.org_id}
