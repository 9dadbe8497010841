"""What a search shows of a line: the text around the match, and the lines beside it. What looks like a secret is hidden."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from postern.contracts.search.folding import matches
from postern.contracts.search.lines import Line, LineKind
from postern.kernel.secret_patterns import masked, masked_with

_MOST_CHARS: Final = 400
#: Characters that are shown before the first match of a longer line.
_BEFORE: Final = 100
_BESIDE: Final = 2


class Hit(NamedTuple):
    """A line with the text that was looked for. `number`: its place in the piece."""

    number: int
    kind: LineKind
    ms: int
    line: str
    matches: list[tuple[int, int]]
    before: list[str]
    after: list[str]


def hits_in(lines: Sequence[Line], sought: str, kind: LineKind | None, first: int) -> Iterator[Hit]:
    """The hits of a piece, from the line `first` on."""
    for number in range(first, len(lines)):
        line = lines[number]
        if kind is not None and line.kind is not kind:
            continue
        # What a line repeats of the line before was found there.
        found = [span for span in matches(line.text, sought) if span[1] > line.repeated]
        if found:
            text, spans = _excerpt(*masked_with(line.text, found, line.hidden))
            before = _beside(reversed(lines[:number]), line.kind)
            yield Hit(
                number, line.kind, line.ms, text, spans, before[::-1], _beside(iter(lines[number + 1 :]), line.kind)
            )


def _beside(lines: Iterator[Line], kind: LineKind) -> list[str]:
    """The nearest lines of the same kind. Only these are masked, which is the dearest part of a hit."""
    return [_short(line) for line in islice((line for line in lines if line.kind is kind), _BESIDE)]


def _short(line: Line) -> str:
    return masked(line.text, line.hidden)[:_MOST_CHARS]


def _excerpt(text: str, found: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    if len(text) <= _MOST_CHARS:
        return text, list(found)
    start = max(0, min(found[0][0] - _BEFORE, len(text) - _MOST_CHARS))
    end = start + _MOST_CHARS
    return text[start:end], [(first - start, min(last, end) - start) for first, last in found if first < end]
