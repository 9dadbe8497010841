"""What differs between two worlds of an organization, for tests and for `postern perms verify`."""

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from pyroaring import BitMap

from postern.apps.perms.index.world import NOTHING, ORDERS, Place, World


def differences(cached: World, read: World) -> Iterator[str]:
    """One line for each difference between the cached world and `read`, which was just read from the tables."""
    yield from _assets("exists", cached, read, cached.assets, read.assets)
    yield from _assets("active", cached, read, cached.active, read.active)
    for protocol in sorted(cached.offers.keys() | read.offers.keys()):
        held, stored = cached.offers.get(protocol, NOTHING), read.offers.get(protocol, NOTHING)
        yield from _assets(f"offers {protocol}", cached, read, held, stored)
    for number in cached.assets & read.assets:
        if cached.key(number) != read.key(number):
            yield f"asset {read.key(number)}: its number {number} stands for {cached.key(number)} in the index"
    lines, stored_lines = dict(cached.texts.lines()), dict(read.texts.lines())
    yield from _assets("is searchable by its text", cached, read, BitMap(lines), BitMap(stored_lines))
    for number in lines.keys() & stored_lines.keys():
        if lines[number] != stored_lines[number]:
            yield f"asset {read.key(number)}: the searched texts differ"
    yield from _order(cached, read)
    yield from _nodes(cached, read)


def _assets(what: str, cached: World, read: World, held: BitMap, stored: BitMap) -> Iterator[str]:
    for number in held ^ stored:
        key = read.key(number) if number in read.assets else cached.key(number)
        yield f"asset {key}: {what} only in the {'index' if number in held else 'tables'}"


def _order(cached: World, read: World) -> Iterator[str]:
    for name in ORDERS:
        held, stored = list(cached.orders.get(name, ())), list(read.orders.get(name, ()))
        if held != stored:
            first = next((number for number, other in zip(stored, held, strict=False) if number != other), None)
            yield f"order by {name}: differs from {read.key(first) if first is not None else 'its end'} on"


def _nodes(cached: World, read: World) -> Iterator[str]:
    for node in cached.places.keys() ^ read.places.keys():
        yield f"node {node}: exists only in the {'index' if node in cached.places else 'tables'}"
    for node in cached.places.keys() & read.places.keys():
        held, stored = _parts(node, cached.places), _parts(node, read.places)
        for what, value in stored.items():
            if held[what] != value:
                yield f"node {node}: {what} differ"


def _parts(node: UUID, places: Mapping[UUID, Place]) -> dict[str, Any]:
    place = places[node]
    return {
        "parents": place.parent,
        "children": set(place.children),
        "direct assets": place.direct,
        "assets in the subtree": place.below,
    }
