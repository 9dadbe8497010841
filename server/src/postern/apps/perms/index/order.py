"""The order of an organization's assets, in blocks that can be skipped without looking at each asset.

Assets are numbers (`Asset.dense_id`). Each block knows which numbers it holds, so the part of a set that lies before a
page is counted block by block.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pyroaring import BitMap

#: Numbers of a block. A page looks at each number of the blocks that it touches, and counts along all others.
_BLOCK: Final = 512
#: 32 bits, as the bitmaps have.
_TYPE: Final = "I"


@dataclass(frozen=True, slots=True)
class _Block:
    ids: "array[int]"
    members: BitMap


@dataclass(frozen=True, slots=True)
class Order:
    """An order of numbers. Never changed: edits return a new order that shares the other blocks."""

    _blocks: tuple[_Block, ...] = ()

    @classmethod
    def of(cls, ids: Sequence[int]) -> "Order":
        """The order of `ids`."""
        return cls(tuple(_cut(array(_TYPE, ids))))

    def __iter__(self) -> Iterator[int]:
        for block in self._blocks:
            yield from block.ids

    def without(self, gone: BitMap) -> "Order":
        """The order without these numbers."""
        blocks: list[_Block] = []
        for block in self._blocks:
            if not block.members.intersect(gone):
                blocks.append(block)
                continue
            ids = array(_TYPE, (number for number in block.ids if number not in gone))
            if ids:
                blocks.append(_Block(ids, BitMap(ids)))
        return Order(tuple(blocks))

    def inserted(self, after: Mapping[int, int | None]) -> "Order":
        """The order with the numbers of `after`, each directly behind its predecessor (None: at the front).

        A predecessor may be inserted by the same call, before its follower.
        """
        blocks = list(self._blocks)
        for number, predecessor in after.items():
            place, position = _behind(blocks, predecessor)
            ids = blocks[place].ids[:] if blocks else array(_TYPE)
            ids.insert(position, number)
            blocks[place : place + 1] = _cut(ids) if len(ids) > 2 * _BLOCK else [_Block(ids, BitMap(ids))]
        return Order(tuple(blocks))

    def page(self, members: BitMap, offset: int, limit: int, *, falls: bool = False) -> list[int]:
        """At most `limit` of the members in order, after the first `offset`; `falls`: from the end."""
        numbers: list[int] = []
        for block in reversed(self._blocks) if falls else self._blocks:
            if offset:
                count = block.members.intersection_cardinality(members)
                if count <= offset:
                    offset -= count
                    continue
            elif not block.members.intersect(members):
                continue
            standing = [number for number in (reversed(block.ids) if falls else block.ids) if number in members]
            numbers += standing[offset:]
            offset = 0
            if len(numbers) >= limit:
                break
        return numbers[:limit]


def _cut(ids: "array[int]") -> Iterable[_Block]:
    for first in range(0, len(ids), _BLOCK):
        some = ids[first : first + _BLOCK]
        yield _Block(some, BitMap(some))


def _behind(blocks: Sequence[_Block], predecessor: int | None) -> tuple[int, int]:
    """The block and the position in it directly behind the predecessor. Raises LookupError when it has no place."""
    if predecessor is None:
        return 0, 0
    for place, block in enumerate(blocks):
        if predecessor in block.members:
            return place, block.ids.index(predecessor) + 1
    raise LookupError(predecessor)
