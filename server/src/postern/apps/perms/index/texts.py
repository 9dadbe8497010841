"""The text of each asset that a search looks through, in blocks that are scanned as a whole.

A database compares every column of every row: 40 ms for 100,000 assets. Scanning the text takes a few milliseconds.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, repeat
from typing import Final

from pyroaring import BitMap

#: Assets of a block. A block in which a word occurs is cut into its lines.
_BLOCK: Final = 256
_EMPTY: Final = b"\n" * (_BLOCK - 1)
#: No word of a search contains white space, so it cannot match across two columns.
_BETWEEN: Final = "\x1f"


def line_of(*columns: str | None) -> bytes:
    """The searched text of one asset. Only ASCII letters are folded, as SQLite compares."""
    return " ".join(_BETWEEN.join(column or "" for column in columns).splitlines()).encode().lower()


def is_searchable(word: str) -> bool:
    """Whether both databases would find the same for the word: they fold letters outside ASCII each in its own way."""
    return word.isascii() and bool(word) and not any(letter.isspace() for letter in word)


@dataclass(frozen=True, slots=True)
class Texts:
    """The line of each number. Never changed: edits return new texts that share the other blocks."""

    _blocks: tuple[bytes, ...] = ()

    def changed(self, lines: Mapping[int, bytes]) -> "Texts":
        """The texts with these lines; an empty line removes a text."""
        if not lines:
            return self
        by_block: dict[int, dict[int, bytes]] = {}
        for number, line in lines.items():
            by_block.setdefault(number // _BLOCK, {})[number % _BLOCK] = line
        blocks = list(self._blocks)
        blocks += [_EMPTY] * (max(by_block) + 1 - len(blocks))
        for place, some in by_block.items():
            block = blocks[place].split(b"\n")
            for position, line in some.items():
                block[position] = line
            blocks[place] = b"\n".join(block)
        return Texts(tuple(blocks))

    def matching(self, word: str, among: BitMap) -> BitMap:
        """The numbers of `among` whose text contains the word, ignoring case."""
        wanted, numbers = word.encode().lower(), among.to_array()
        matches: list[int] = []
        end = 0
        for place, block in enumerate(self._blocks):
            first = place * _BLOCK
            start, end = end, bisect_left(numbers, first + _BLOCK, end)
            if start == end or wanted not in block:
                continue
            # With fewer matches than wanted lines, it is quicker to count the lines between the matches.
            parts = block.split(wanted, end - start)
            if len(parts) <= end - start:
                ends = accumulate(map(bytes.count, parts, repeat(b"\n")), initial=first)
                matches += list(ends)[1:-1]
            else:
                lines = block.split(b"\n")
                matches += [number for number in numbers[start:end] if wanted in lines[number - first]]
        return BitMap(matches) & among

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Each number that has a text, with its line."""
        for place, block in enumerate(self._blocks):
            for position, line in enumerate(block.split(b"\n")):
                if line:
                    yield place * _BLOCK + position, line


class TextsDraft:
    """Texts while they are read, in any order."""

    def __init__(self) -> None:
        self._blocks: dict[int, list[bytes]] = {}

    def put(self, number: int, line: bytes) -> None:
        """Set the line of a number."""
        block = self._blocks.get(number // _BLOCK)
        if block is None:
            block = self._blocks[number // _BLOCK] = [b""] * _BLOCK
        block[number % _BLOCK] = line

    def done(self) -> Texts:
        """The texts."""
        end = max(self._blocks, default=-1) + 1
        return Texts(
            tuple(b"\n".join(self._blocks[place]) if place in self._blocks else _EMPTY for place in range(end))
        )
