"""The world of an organization with some of its assets changed, and with new assets, which get numbers of their own."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from pyroaring import BitMap

from postern.apps.assets.models import Asset, AssetNode
from postern.apps.perms.index.world import NOTHING, Place, World, summed, with_keys
from postern.apps.perms.previews.changes import AssetAfter, Changes

#: Keys per query, because SQLite limits the number of parameters.
_SET = 500


@dataclass(frozen=True, slots=True)
class ChangedAssets:
    """The changed assets of one organization. `numbers`: the number of each asset, of new assets too. `standing`: the
    nodes of stored assets.
    """

    after: Mapping[UUID, AssetAfter] = field(default_factory=dict)
    numbers: Mapping[UUID, int] = field(default_factory=dict)
    standing: Mapping[UUID, set[UUID]] = field(default_factory=dict)


def changed_assets(world: World, changes: Changes) -> ChangedAssets:
    """The changed assets of the world's organization."""
    if not changes.assets:
        return ChangedAssets()
    numbers: dict[UUID, int] = {}
    standing: defaultdict[UUID, set[UUID]] = defaultdict(set)
    stored = [key for key, after in changes.assets.items() if after.new is None]
    for first in range(0, len(stored), _SET):
        some = stored[first : first + _SET]
        rows = Asset.objects.filter(org_id=world.org_id, pk__in=some).order_by()
        numbers |= dict(rows.values_list("pk", "dense_id"))
        for asset, node in AssetNode.objects.filter(asset_id__in=some).order_by().values_list("asset_id", "node_id"):
            standing[asset].add(node)
    free = max(world.assets.max() if world.assets else 0, *numbers.values(), 0) + 1
    own = (key for key, after in changes.assets.items() if after.new is not None and after.org_id == world.org_id)
    numbers |= {key: number for number, key in enumerate(own, free)}
    return ChangedAssets({key: changes.assets[key] for key in numbers}, numbers, standing)


def with_assets(world: World, changed: ChangedAssets) -> World:
    """The world after these changes."""
    if not changed.after:
        return world
    new = {number: key for key, number in changed.numbers.items() if changed.after[key].new is not None}
    parts: dict[str, Any] = {"active": _active(world, changed), "offers": _offers(world, changed)}
    if new:
        parts["keys"] = with_keys(world.keys, new)
        parts["assets"] = world.assets | BitMap(new)
        parts["orders"] = {name: order.inserted(dict.fromkeys(new)) for name, order in world.orders.items()}
    return replace(world, places=_places(world.places, changed), **parts)


def _active(world: World, changed: ChangedAssets) -> BitMap:
    on, off = BitMap(), BitMap()
    for key, after in changed.after.items():
        if after.is_active is not None:
            (on if after.is_active else off).add(changed.numbers[key])
    return (world.active | on) - off


def _offers(world: World, changed: ChangedAssets) -> Mapping[str, BitMap]:
    offering: defaultdict[str, BitMap] = defaultdict(BitMap)
    touched = BitMap()
    for key, after in changed.after.items():
        if after.protocols is not None:
            touched.add(changed.numbers[key])
            for protocol in after.protocols:
                offering[protocol].add(changed.numbers[key])
    if not touched:
        return world.offers
    names = world.offers.keys() | offering.keys()
    return {name: (world.offers.get(name, NOTHING) - touched) | offering.get(name, NOTHING) for name in names}


def _places(places: Mapping[UUID, Place], changed: ChangedAssets) -> Mapping[UUID, Place]:
    if all(after.nodes is None and not after.joins and not after.leaves for after in changed.after.values()):
        return places
    joining: defaultdict[UUID, BitMap] = defaultdict(BitMap)
    leaving: defaultdict[UUID, BitMap] = defaultdict(BitMap)
    root = frozenset(node for node, place in places.items() if place.parent is None)
    for key, after in changed.after.items():
        standing = frozenset(changed.standing.get(key, ()))
        # An asset without any node is in the root node.
        wanted = ((standing if after.nodes is None else after.nodes) | after.joins) - after.leaves or root
        for node in wanted - standing:
            joining[node].add(changed.numbers[key])
        for node in standing - wanted:
            leaving[node].add(changed.numbers[key])
    touched = [node for node in joining.keys() | leaving.keys() if node in places]
    if not touched:
        return places
    summed_places = dict(places)
    for node in touched:
        held = summed_places[node]
        direct = (held.direct | joining.get(node, NOTHING)) - leaving.get(node, NOTHING)
        summed_places[node] = replace(held, direct=direct)
    return summed(summed_places, touched) or places
