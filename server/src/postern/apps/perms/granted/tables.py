"""What nodes hold and assets offer by the tables, along the rows that a decision reads. For comparisons with the index.

The index sums subtrees along the parents of nodes; a decision reads the paths of nodes (`NodePath`). Everything is read
once for all people: asking the database for each person takes a third of a second for each.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from pyroaring import BitMap

from postern.apps.assets.models import Asset, AssetNode, AssetProtocol, NodePath
from postern.apps.perms.granted.reach import Reach
from postern.apps.perms.grants.models import PermissionAsset
from postern.apps.perms.index.world import NOTHING, World
from postern.foundation.database.prepared import PreparedQuery

#: Organization → numbers of its assets.
Numbers = Mapping[UUID, BitMap]


@dataclass(frozen=True, slots=True)
class Tables:
    """All organizations at one instant. `below`: the assets in the subtree of each node; `offers`: those that offer a
    protocol.
    """

    below: Mapping[UUID, Numbers]
    offers: Mapping[str, Numbers]

    def reached(self, reach: Reach) -> dict[UUID, BitMap]:
        """The assets that the grants reach, active or not."""
        named: defaultdict[UUID, list[tuple[UUID, int]]] = defaultdict(list)
        rows = PermissionAsset.objects.filter(assetpermission_id__in=reach.permission_ids).order_by()
        for permission, org_id, number in rows.values_list("assetpermission_id", "asset__org_id", "asset__dense_id"):
            named[permission].append((org_id, number))
        numbers_by_org: defaultdict[UUID, BitMap] = defaultdict(BitMap)
        for protocol, permissions in reach.by_protocol.items():
            scope: defaultdict[UUID, BitMap] = defaultdict(BitMap)
            for permission in permissions:
                for org_id, number in named.get(permission, ()):
                    scope[org_id].add(number)
            for node in reach.nodes_of(permissions):
                for org_id, numbers in self.below.get(node, {}).items():
                    scope[org_id] |= numbers
            offering = self.offers.get(protocol, {})
            for org_id, numbers in scope.items():
                numbers_by_org[org_id] |= numbers & offering.get(org_id, NOTHING)
        return {org_id: numbers for org_id, numbers in numbers_by_org.items() if numbers}


def read_tables() -> Tables:
    """Everything as it is now. Call it inside a snapshot. Memory grows by a few megabytes for 100,000 assets."""
    direct = _by_org(_placements().streamed())
    below: defaultdict[Any, dict[Any, BitMap]] = defaultdict(dict)
    for above, node in _paths().streamed():
        for org_id, numbers in direct.get(node, {}).items():
            below[above][org_id] = below[above].get(org_id, NOTHING) | numbers
    return Tables(
        below={_parsed(node): _with_parsed(some) for node, some in below.items()},
        offers={protocol: _with_parsed(some) for protocol, some in _by_org(_protocols().streamed()).items()},
    )


def misnumbered(worlds: Mapping[UUID, World]) -> Iterator[str]:
    """A line for each asset whose number differs between index and tables, or that an order of the index lacks."""
    for org_id, world in worlds.items():
        for key, number in _numbered().streamed(org_id=org_id):
            asset = _parsed(key)
            if number not in world.assets or world.key(number) != asset:
                yield f"asset {asset}: its number {number} stands for another asset in the index, or for none"
        for name, order in world.orders.items():
            for number in BitMap(order) ^ world.assets:
                yield f"asset {world.key(number)}: the order by {name} and the assets of the index differ"


def _by_org(rows: Iterable[tuple[Any, Any, int]]) -> dict[Any, dict[Any, BitMap]]:
    """Numbers by the first column and by organization."""
    numbers_by_key: defaultdict[Any, defaultdict[Any, array[int]]] = defaultdict(
        lambda: defaultdict(lambda: array("I"))
    )
    for key, org_id, number in rows:
        numbers_by_key[key][org_id].append(number)
    return {
        key: {org_id: BitMap(numbers) for org_id, numbers in parts.items()} for key, parts in numbers_by_key.items()
    }


def _with_parsed(some: Mapping[Any, BitMap]) -> Numbers:
    return {_parsed(org_id): numbers for org_id, numbers in some.items()}


def _parsed(value: Any) -> UUID:
    """An id from the database: SQLite has none of its own, and stores text."""
    return value if isinstance(value, UUID) else UUID(value)


@cache
def _placements() -> PreparedQuery:
    return PreparedQuery(AssetNode.objects.order_by, columns=("node_id", "asset__org_id", "asset__dense_id"))


@cache
def _paths() -> PreparedQuery:
    return PreparedQuery(NodePath.objects.order_by, columns=("ancestor_id", "descendant_id"))


@cache
def _protocols() -> PreparedQuery:
    return PreparedQuery(AssetProtocol.objects.order_by, columns=("name", "asset__org_id", "asset__dense_id"))


@cache
def _numbered() -> PreparedQuery:
    return PreparedQuery(
        lambda org_id: Asset.objects.filter(org_id=org_id).order_by(),
        stand_ins={"org_id": UUID(int=1)},
        columns=("id", "dense_id"),
    )
