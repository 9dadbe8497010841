"""The assets of one organization as bitmaps, true for one version of its tree.

Assets are numbers (`Asset.dense_id`). A world is never changed: bringing it up to date makes a new world that shares
what stayed the same, so that a reader keeps a consistent world while another thread goes on.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from pyroaring import BitMap

from postern.apps.perms.index.order import Order
from postern.apps.perms.index.texts import Texts

_KEY: Final = 16
NOTHING: Final = BitMap()
#: The orders that lists are sorted by. Names are unique, so their falling order is the same backwards; addresses are not.
ORDERS: Final = {"hostname": ("hostname", "id"), "ip": ("ip", "id"), "-ip": ("-ip", "id")}
#: Columns of an asset in which words are looked for.
SEARCHED: Final = ("hostname", "ip", "comment")


@dataclass(frozen=True, slots=True)
class Place:
    """A node: the assets directly in it, and those anywhere in its subtree."""

    parent: UUID | None
    children: tuple[UUID, ...]
    direct: BitMap
    below: BitMap


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The assets of an organization at the version `seq` of its tree.

    `keys` holds the 16 bytes of each asset's id, at the position of its number. `offers`: the assets that offer a
    protocol. `orders`: the orders of `ORDERS`, by their first column. `texts`: the columns of `SEARCHED`.
    """

    org_id: UUID
    seq: int
    keys: bytes = b""
    places: Mapping[UUID, Place] = field(default_factory=dict)
    assets: BitMap = NOTHING
    active: BitMap = NOTHING
    offers: Mapping[str, BitMap] = field(default_factory=dict)
    orders: Mapping[str, Order] = field(default_factory=dict)
    texts: Texts = field(default_factory=Texts)

    def key(self, number: int) -> UUID:
        """The id of an asset."""
        return UUID(bytes=self.key_bytes(number))

    def key_bytes(self, number: int) -> bytes:
        """The 16 bytes of the id of an asset."""
        return self.keys[number * _KEY : (number + 1) * _KEY]

    def below(self, nodes: Iterable[UUID]) -> BitMap:
        """The assets in the subtrees of these nodes."""
        parts = [self.places[node].below for node in nodes if node in self.places]
        return BitMap.union(*parts) if parts else BitMap()

    def offering(self, protocol: str, assets: BitMap) -> BitMap:
        """Those of the assets that offer the protocol."""
        return assets & self.offers.get(protocol, NOTHING)

    def chain(self, node: UUID) -> Iterator[UUID]:
        """The node and the nodes above it, upwards."""
        step: UUID | None = node
        while step is not None and step in self.places:
            yield step
            step = self.places[step].parent


class KeysDraft:
    """The ids of numbers while they are read, in any order."""

    def __init__(self, keys: bytes = b"") -> None:
        self._keys = bytearray(keys)

    def put(self, number: int, key: bytes) -> None:
        """Set the 16 bytes of a number's id."""
        end = (number + 1) * _KEY
        if len(self._keys) < end:
            self._keys.extend(bytes(end - len(self._keys)))
        self._keys[end - _KEY : end] = key

    def done(self) -> bytes:
        """The ids."""
        return bytes(self._keys)


def with_keys(keys: bytes, keyed: Mapping[int, UUID]) -> bytes:
    """`keys` with the ids of further numbers."""
    draft = KeysDraft(keys)
    for number, key in keyed.items():
        draft.put(number, key.bytes)
    return draft.done()


def numbers_of(keys: bytes, wanted: set[UUID]) -> dict[UUID, int]:
    """The numbers of those ids that `keys` holds."""
    by_key = {key.bytes: key for key in wanted}
    numbers: dict[UUID, int] = {}
    if not wanted:
        return numbers
    for number in range(len(keys) // _KEY):
        part = keys[number * _KEY : (number + 1) * _KEY]
        if part in by_key:
            numbers[by_key[part]] = number
    return numbers


def composed(parents: Mapping[UUID, UUID | None], direct: Mapping[UUID, BitMap]) -> dict[UUID, Place]:
    """The places of a whole tree, from the parent and the direct assets of each node."""
    children: dict[UUID, list[UUID]] = {node: [] for node in parents}
    for node, parent in parents.items():
        if parent is not None:
            children[parent].append(node)
    places: dict[UUID, Place] = {}
    downwards = [node for node, parent in parents.items() if parent is None]
    for node in downwards:  # grows while it is walked
        downwards += children[node]
    for node in reversed(downwards):
        places[node] = place_of(parents[node], children[node], direct.get(node, NOTHING), places)
    return places


def place_of(parent: UUID | None, children: Iterable[UUID], direct: BitMap, places: Mapping[UUID, Place]) -> Place:
    """A place whose children have theirs already."""
    below = [places[child].below for child in children]
    return Place(parent, tuple(children), direct, BitMap.union(direct, *below) if below else direct)


def summed(after: dict[UUID, Place], changed: Collection[UUID]) -> dict[UUID, Place] | None:
    """Compute the subtrees of the changed nodes and of all nodes above them again, the deepest first. None if the tree is
    not whole.
    """
    depths: dict[UUID, int] = {}
    for node in changed:
        chain: list[UUID] = []
        step: UUID | None = node
        while step is not None:
            if step not in after or len(chain) > len(after):
                return None
            chain.append(step)
            step = after[step].parent
        depths |= {above: depth for depth, above in enumerate(reversed(chain))}
    for node in sorted(depths, key=depths.__getitem__, reverse=True):
        held = after[node]
        if any(child not in after for child in held.children):
            return None
        after[node] = place_of(held.parent, held.children, held.direct, after)
    return after


def moved(places: Mapping[UUID, Place], parents: Mapping[UUID, UUID]) -> dict[UUID, Place] | None:
    """The places with these nodes below other parents. None if a node would be below itself."""
    after = dict(places)
    touched: set[UUID] = set()
    for node, parent in parents.items():
        held = after[node]
        if held.parent is None or held.parent == parent:
            continue
        old, new = after[held.parent], after[parent]
        after[held.parent] = replace(old, children=tuple(child for child in old.children if child != node))
        after[parent] = replace(new, children=(*new.children, node))
        after[node] = replace(held, parent=parent)
        touched |= {held.parent, parent}
    return summed(after, touched)
