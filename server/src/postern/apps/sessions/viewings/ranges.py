"""Merged byte ranges of a recording, both ends included."""

from collections.abc import Iterable
from typing import Final

#: Ranges stored per viewing. Beyond this the nearest two are merged, so the record may name more bytes but never fewer.
MAX_RANGES: Final = 64

Ranges = list[list[int]]


def joined(ranges: Iterable[Iterable[int]], first: int, last: int) -> Ranges:
    """The sorted ranges after adding `first` to `last`, merged so that none touch."""
    spans = sorted([*(list(span) for span in ranges), [first, last]])
    merged = [spans[0]]
    for span in spans[1:]:
        if span[0] <= merged[-1][1] + 1:
            merged[-1][1] = max(merged[-1][1], span[1])
        else:
            merged.append(span)
    while len(merged) > MAX_RANGES:
        nearest = min(range(1, len(merged)), key=lambda place: merged[place][0] - merged[place - 1][1])
        merged[nearest - 1][1] = merged[nearest][1]
        del merged[nearest]
    return merged


def size_of(ranges: Iterable[Iterable[int]]) -> int:
    """Number of bytes in the ranges."""
    return sum(last - first + 1 for first, last in ranges)
