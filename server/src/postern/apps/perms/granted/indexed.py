"""The reachable assets of a user or group as bitmaps: the grants from the tables, the assets from the index.

Grants, and which nodes and assets they name, are read at each request, in the same snapshot as the version of the
index. So a list shows exactly what the tables allowed at one instant.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from pyroaring import BitMap

from postern.apps.assets.models import Asset
from postern.apps.perms.index.texts import is_searchable
from postern.apps.perms.index.world import SEARCHED, World
from postern.foundation.rest.search_terms import occurs_in

#: Numbers of assets, by organization.
Members = Mapping[UUID, BitMap]

#: Orders of the ORM that the index keeps: the name of the order in the index, and whether it is walked backwards.
_KEPT_ORDERS: Final[Mapping[tuple[Any, ...], tuple[str, bool]]] = {
    (first, second): order
    for first, order in {
        "hostname": ("hostname", False),
        "-hostname": ("hostname", True),
        "ip": ("ip", False),
        "-ip": ("-ip", False),
    }.items()
    for second in ("id", "pk")
}
#: So few assets are named to the database, rather than all assets of the organization being looked through.
_FEW: Final = 500
#: Pages of several organizations that end here are merged from their first assets.
_MERGED: Final = 2_000


@dataclass(frozen=True, slots=True)
class Part:
    """What is reachable in one organization.

    `assets`: the reachable assets, active or not; `named`: those that a permission names directly; `granted`
    the nodes that permissions name; `above` these nodes and all nodes above them.
    """

    world: World
    assets: BitMap
    named: BitMap
    granted: frozenset[UUID]
    above: frozenset[UUID]


@dataclass(frozen=True, slots=True)
class Page:
    """Ids of the assets of a page, and how many assets there are on all pages."""

    count: int
    keys: list[UUID]


class IndexedReach:
    """What is reachable, in all organizations that a grant is of."""

    def __init__(self, parts: Mapping[UUID, Part]) -> None:
        self._parts = parts

    def assets(self, *, include_inactive: bool = False) -> Members:
        """The reachable assets."""
        return {
            org_id: part.assets if include_inactive else part.assets & part.world.active
            for org_id, part in self._parts.items()
        }

    def directly_granted(self) -> Members:
        """The reachable assets that a permission names directly."""
        return {org_id: part.named for org_id, part in self._parts.items()}

    def below(self, node_id: UUID) -> Members:
        """The reachable assets in the subtree of the node."""
        return {org_id: part.assets & part.world.below([node_id]) for org_id, part in self._parts.items()}

    def directly_in(self, node_id: UUID) -> Members:
        """The reachable assets that are directly in the node."""
        return {
            org_id: part.assets & part.world.places[node_id].direct
            for org_id, part in self._parts.items()
            if node_id in part.world.places
        }

    def places(self, node_ids: Iterable[UUID], asset_ids: Iterable[UUID]) -> dict[UUID, list[UUID]]:
        """Those of the assets that are reachable and directly in these nodes, each with its nodes among them."""
        nodes_by_asset: dict[UUID, list[UUID]] = {}
        wanted = {asset_id.bytes: asset_id for asset_id in asset_ids}  # making an id of each number is slow
        for part in self._parts.values():
            nodes_of: dict[int, list[UUID]] = {}
            for node_id in node_ids:
                place = part.world.places.get(node_id)
                for number in place.direct & part.assets if place is not None else ():
                    nodes_of.setdefault(number, []).append(node_id)
            for number, nodes in nodes_of.items():
                asset_id = wanted.get(part.world.key_bytes(number))
                if asset_id is not None:
                    nodes_by_asset[asset_id] = nodes
        return nodes_by_asset

    def among(self, rows: "QuerySet[Asset]") -> Members:
        """The reachable assets of `rows`. Reads the numbers of all these rows."""
        return {org_id: part.assets & _numbers(rows, org_id) for org_id, part in self._parts.items()}

    def is_visible(self, node_id: UUID) -> bool:
        """Whether the tree shows the node: it is granted, below or above a granted node, or holds reachable assets."""
        for part in self._parts.values():
            place = part.world.places.get(node_id)
            if place is None:
                continue
            if node_id in part.above or place.below.intersect(part.assets):
                return True
            return not part.granted.isdisjoint(part.world.chain(node_id))
        return False

    def visible_nodes(self) -> set[UUID]:
        """The nodes that the tree shows."""
        node_ids: set[UUID] = set()
        for part in self._parts.values():
            places = part.world.places
            # Whatever is below a hidden node is hidden, so the walk stops there.
            downwards = [(node, False) for node, place in places.items() if place.parent is None]
            for node, in_granted in downwards:  # grows while it is walked
                granted = in_granted or node in part.granted
                if granted or node in part.above or places[node].below.intersect(part.assets):
                    node_ids.add(node)
                    downwards += [(child, granted) for child in places[node].children]
        return node_ids

    def counts(self, node_ids: Iterable[UUID]) -> dict[UUID, int]:
        """Number of reachable assets in the subtree of each node."""
        return {
            node_id: part.world.places[node_id].below.intersection_cardinality(part.assets)
            for node_id in node_ids
            for part in self._parts.values()
            if node_id in part.world.places
        }

    def page(self, members: Members, order: tuple[Any, ...], offset: int, limit: int) -> Page:
        """A page of the members in this order of the ORM."""
        count = sum(map(len, members.values()))
        if offset >= count:
            return Page(count, [])
        end = min(offset + limit, count)
        if order in _KEPT_ORDERS and len(members) == 1:
            [(org_id, some)] = members.items()
            return Page(count, self._first(org_id, some, order, offset, end - offset))
        if count <= _FEW or (order in _KEPT_ORDERS and end <= _MERGED):
            named = [key for org_id, some in members.items() for key in self._candidates(org_id, some, order, end)]
            rows = Asset.objects.filter(pk__in=named).order_by(*order)
            return Page(count, list(rows.values_list("pk", flat=True)[offset:end]))
        return Page(count, self._looked_through(members, order, offset, end))

    def search(self, members: Members, rows: "QuerySet[Asset]") -> Members:
        """Those of the members that match the conditions of `rows`."""
        members_by_org: dict[UUID, BitMap] = {}
        for org_id, some in members.items():
            world = self._parts[org_id].world
            narrowed = rows.filter(pk__in=[world.key(number) for number in some]) if len(some) <= _FEW else rows
            members_by_org[org_id] = some & _numbers(narrowed, org_id)
        return members_by_org

    def with_words(self, members: Members, words: Iterable[str]) -> Members:
        """Those of the members in whose searched columns every word occurs, ignoring case."""
        for word in words:
            if is_searchable(word):
                members = {
                    org_id: self._parts[org_id].world.texts.matching(word, some) for org_id, some in members.items()
                }
            else:
                members = self.search(members, Asset.objects.filter(occurs_in(word, SEARCHED, Asset)))
        return members

    def _first(self, org_id: UUID, members: BitMap, order: tuple[Any, ...], offset: int, limit: int) -> list[UUID]:
        world, (name, falls) = self._parts[org_id].world, _KEPT_ORDERS[order]
        index_order = world.orders[name]
        return [world.key(number) for number in index_order.page(members, offset, limit, falls=falls)]

    def _candidates(self, org_id: UUID, members: BitMap, order: tuple[Any, ...], end: int) -> list[UUID]:
        """The assets of an organization that may be on the pages up to `end`."""
        if order in _KEPT_ORDERS:
            return self._first(org_id, members, order, 0, end)
        return [self._parts[org_id].world.key(number) for number in members]

    def _looked_through(self, members: Members, order: tuple[Any, ...], offset: int, end: int) -> list[UUID]:
        """The page from all assets of these organizations, in the order of the database."""
        rows = Asset.objects.filter(org_id__in=list(members)).order_by(*order).values_list("org_id", "dense_id")
        standing = [(org_id, number) for org_id, number in rows if number in members[org_id]]
        return [self._parts[org_id].world.key(number) for org_id, number in standing[offset:end]]


def _numbers(rows: "QuerySet[Asset]", org_id: UUID) -> BitMap:
    return BitMap(rows.filter(org_id=org_id).order_by().values_list("dense_id", flat=True))
