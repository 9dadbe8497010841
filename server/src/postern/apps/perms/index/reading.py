"""Makes a world from the tables of assets, and brings a world up to date with the rows that changed since.

Every read of one call must see the same state of the database (see `kept`).
"""

from array import array
from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, Final
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from pyroaring import BitMap

from postern.apps.assets.models import Asset, AssetNode, AssetProtocol, Node, TreeChange, TreeChangeKind
from postern.apps.perms.index.order import Order
from postern.apps.perms.index.texts import TextsDraft, line_of
from postern.apps.perms.index.world import (
    NOTHING,
    ORDERS,
    SEARCHED,
    KeysDraft,
    Place,
    World,
    composed,
    numbers_of,
    summed,
    with_keys,
)
from postern.foundation.database.prepared import PreparedQuery

#: With more changed rows than this, reading all rows costs less than looking each of them up.
MAX_ASSETS: Final = 2_000
MAX_NODES: Final = 1_000
#: With more, the orders are read whole: a place in an order takes a query.
MAX_PLACED: Final = 200
_ORG: Final[Mapping[str, UUID]] = {"org_id": UUID(int=1)}


def read_world(org_id: UUID, seq: int) -> World:
    """The world of an organization from nothing. `seq` is the version of the state that is read."""
    direct: defaultdict[Any, array[int]] = defaultdict(_numbers)
    for node, number in _placements().streamed(org_id=org_id):
        direct[node].append(number)
    offers: defaultdict[str, array[int]] = defaultdict(_numbers)
    for protocol, number in _protocols().streamed(org_id=org_id):
        offers[protocol].append(number)
    keys, texts = KeysDraft(), TextsDraft()
    assets, active = _numbers(), _numbers()
    for key, number, is_active, *searched in _assets().streamed(org_id=org_id):
        assets.append(number)
        keys.put(number, key.bytes if isinstance(key, UUID) else bytes.fromhex(key))
        texts.put(number, line_of(*searched))
        if is_active:
            active.append(number)
    standing = {node if isinstance(node, UUID) else UUID(node): BitMap(numbers) for node, numbers in direct.items()}
    return World(
        org_id=org_id,
        seq=seq,
        keys=keys.done(),
        places=composed(dict(_nodes().tuples(org_id=org_id)), standing),
        assets=BitMap(assets),
        active=BitMap(active),
        offers={protocol: BitMap(numbers) for protocol, numbers in offers.items()},
        orders={name: _read_order(org_id, name) for name in ORDERS},
        texts=texts.done(),
    )


def _numbers() -> "array[int]":
    return array("I")


def caught_up(world: World, seq: int) -> World:
    """The world at a later version. Made from nothing if too much changed, or if the changes are no longer recorded."""
    changed = _changed_since(world)
    if changed is None:
        return read_world(world.org_id, seq)
    nodes, assets = changed
    fresh = _with_assets(world, assets) if assets else {}
    places = _with_nodes(world.places, nodes) if nodes else world.places
    if places is None:
        return read_world(world.org_id, seq)
    parts = {
        "keys": world.keys,
        "assets": world.assets,
        "active": world.active,
        "offers": world.offers,
        "orders": world.orders,
        "texts": world.texts,
    }
    return World(org_id=world.org_id, seq=seq, places=places, **{**parts, **fresh})


def _changed_since(world: World) -> tuple[set[UUID], set[UUID]] | None:
    """The nodes and the assets that changed after the world's version; None: too many, or no longer recorded."""
    changes = TreeChange.objects.filter(org_id=world.org_id).order_by()
    # Changes are deleted from the oldest on, so an older change proves that all later changes exist.
    if not changes.filter(seq__lte=world.seq + 1).exists():
        return None
    changed: dict[str, set[UUID]] = {}
    for kind, most in ((TreeChangeKind.NODE, MAX_NODES), (TreeChangeKind.ASSET, MAX_ASSETS)):
        rows = changes.filter(seq__gt=world.seq, kind=kind).values_list("object_id", flat=True).distinct()
        changed[kind] = set(rows[: most + 1])
        if len(changed[kind]) > most:
            return None
    return changed[TreeChangeKind.NODE], changed[TreeChangeKind.ASSET]


def _with_assets(world: World, changed: Collection[UUID]) -> dict[str, Any]:
    """The parts of the world that follow from assets, with these read again."""
    rows = Asset.objects.filter(org_id=world.org_id, pk__in=changed)
    stored_rows = list(rows.order_by().values_list("pk", "dense_id", "is_active", *SEARCHED))
    numbers = {key: number for key, number, *_others in stored_rows}
    gone = numbers_of(world.keys, set(changed) - numbers.keys())
    touched = BitMap([*numbers.values(), *gone.values()])
    offering: defaultdict[str, list[int]] = defaultdict(list)
    protocols = AssetProtocol.objects.filter(asset_id__in=numbers).order_by()
    for protocol, number in protocols.values_list("name", "asset__dense_id"):
        offering[protocol].append(number)
    return {
        "keys": with_keys(world.keys, {number: key for key, number in numbers.items()}),
        "assets": (world.assets - touched) | BitMap(numbers.values()),
        "active": (world.active - touched)
        | BitMap(number for _key, number, is_active, *_others in stored_rows if is_active),
        "offers": {
            protocol: (world.offers.get(protocol, NOTHING) - touched) | BitMap(offering.get(protocol, ()))
            for protocol in world.offers.keys() | offering.keys()
        },
        "orders": {name: _reordered(world, name, touched, rows) for name in ORDERS},
        "texts": world.texts.changed(
            dict.fromkeys(gone.values(), b"")
            | {number: line_of(*texts) for _key, number, _is_active, *texts in stored_rows}
        ),
    }


def _reordered(world: World, name: str, touched: BitMap, rows: QuerySet[Asset]) -> Order:
    """An order with the changed assets in their places. The database compares, by its own rules for text."""
    if len(touched) > MAX_PLACED:
        return _read_order(world.org_id, name)
    column = name.removeprefix("-")
    following: dict[int, int | None] = {}
    for key, number, value in rows.order_by(*ORDERS[name]).values_list("pk", "dense_id", column):
        before = _predecessors(name).tuples(org_id=world.org_id, value=value, key=key)
        following[number] = before[0][0] if before else None
    return world.orders[name].without(touched).inserted(following)


def _read_order(org_id: UUID, name: str) -> Order:
    return Order.of(array("I", (number for (number,) in _in_order(name).streamed(org_id=org_id))))


def _with_nodes(places: Mapping[UUID, Place], changed: Collection[UUID]) -> dict[UUID, Place] | None:
    """The places with these nodes read again. None if the tree is not whole."""
    after = dict(places)
    existing = dict(Node.objects.filter(pk__in=changed).order_by().values_list("pk", "parent_id"))
    children: defaultdict[UUID, list[UUID]] = defaultdict(list)
    rows: QuerySet[Any, Any] = Node.objects.filter(parent_id__in=changed).order_by()
    for key, parent in rows.values_list("pk", "parent_id"):
        children[parent].append(key)
    direct: defaultdict[UUID, list[int]] = defaultdict(list)
    standing = AssetNode.objects.filter(node_id__in=changed).order_by()
    for node, number in standing.values_list("node_id", "asset__dense_id"):
        direct[node].append(number)
    for node in changed:
        if node in existing:
            after[node] = Place(existing[node], tuple(children[node]), BitMap(direct[node]), NOTHING)
        else:
            after.pop(node, None)
    parents = {child: parent for parent, some in children.items() for child in some}
    left = {child for node in changed if node in places for child in places[node].children} - parents.keys()
    for node, parent in parents.items():
        if node not in after:
            return None
        if after[node].parent != parent:
            old = after[node]
            after[node] = Place(parent, old.children, old.direct, old.below)
    for node in left:
        _drop(after, node, places)
    return summed(after, [node for node in changed if node in after])


def _drop(after: dict[UUID, Place], node: UUID, before: Mapping[UUID, Place]) -> None:
    """Remove a node that no parent names any more: it was deleted. A node that was moved has its new parent already."""
    held = after.get(node)
    if held is not None and held.parent == before[node].parent:
        del after[node]


@cache
def _nodes() -> PreparedQuery:
    return PreparedQuery(
        lambda org_id: Node.objects.filter(org_id=org_id).order_by(), stand_ins=_ORG, columns=("id", "parent_id")
    )


@cache
def _placements() -> PreparedQuery:
    return PreparedQuery(
        lambda org_id: AssetNode.objects.filter(asset__org_id=org_id).order_by(),
        stand_ins=_ORG,
        columns=("node_id", "asset__dense_id"),
    )


@cache
def _protocols() -> PreparedQuery:
    return PreparedQuery(
        lambda org_id: AssetProtocol.objects.filter(asset__org_id=org_id).order_by(),
        stand_ins=_ORG,
        columns=("name", "asset__dense_id"),
    )


@cache
def _assets() -> PreparedQuery:
    return PreparedQuery(
        lambda org_id: Asset.objects.filter(org_id=org_id).order_by(),
        stand_ins=_ORG,
        columns=("id", "dense_id", "is_active", *SEARCHED),
    )


@cache
def _in_order(name: str) -> PreparedQuery:
    return PreparedQuery(
        lambda org_id: Asset.objects.filter(org_id=org_id).order_by(*ORDERS[name]),
        stand_ins=_ORG,
        columns=("dense_id",),
    )


@cache
def _predecessors(name: str) -> PreparedQuery:
    column, falls = name.removeprefix("-"), name.startswith("-")

    def build(org_id: UUID, value: str, key: UUID) -> QuerySet[Any]:
        side = "gt" if falls else "lt"
        # The range first: it lets both databases begin in the index.
        before = Q((f"{column}__{side}e", value)) & (Q((f"{column}__{side}", value)) | Q(pk__lt=key))
        backwards = (column if falls else f"-{column}", "-id")
        # Hostnames have an index that begins with the organization, addresses have none: SQLite would rather sort all
        # assets of the organization than follow the index of addresses, if it could look for the organization.
        owner: Any = F("org_id") if column == "hostname" else Coalesce("org_id", "org_id")
        return Asset.objects.alias(owner=owner).filter(before, owner=org_id).order_by(*backwards)[:1]

    return PreparedQuery(
        build, stand_ins={**_ORG, "value": "stand-in of a value", "key": UUID(int=2)}, columns=("dense_id",)
    )
