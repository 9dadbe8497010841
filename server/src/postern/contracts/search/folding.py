"""Compares texts as a search does: without case, with runs of blanks as one, without marks of the writing direction.

A line is a candidate if it has all grams of the text that is looked for. Whether it has the text is then decided by
`matches`. Grams are three characters long; two, if one of the two is not ASCII, because a Chinese word often has only two.
"""

import re
import zlib
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

SHORTEST: Final = 2
LONGEST: Final = 200
#: Ends each pair of characters in `gram_text`: of the private area, so that hardly a screen has it.
_PAIR_END: Final = "\ue000"
#: Grams of one query. More would only repeat what these say.
_MOST_GRAMS: Final = 24
#: PostgreSQL reads the whole list of each gram. Few of them say nearly as much.
_MOST_NUMBERS: Final = 6
#: Marks that change the direction of writing or join nothing. They are invisible.
_MARKS: Final = "\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\u00ad"
_CHANGING: Final = re.compile(rf"[^\S ]|  |[{_MARKS}]")
_MARK: Final = re.compile(f"[{_MARKS}]")
_TOKENS: Final = re.compile(rf"(\s+)|([{_MARKS}]+)|([^\s{_MARKS}]+)")
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]")


class _Cases(dict[int, str]):
    """The folded form of each character, if it is one character long."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = character.casefold()
        value = self[code] = folded if len(folded) == 1 else character
        return value


_CASES: Final = _Cases()


def _lower(text: str) -> str:
    """Without case, and with the same length."""
    return text.lower() if text.isascii() else text.translate(_CASES)


def fold(text: str) -> str:
    """The text as it is compared."""
    return _lower(text) if _CHANGING.search(text) is None else _folded(text)[0]


def has_marks(text: str) -> bool:
    """Whether marks that a comparison leaves out are in the text."""
    return not text.isascii() and _MARK.search(text) is not None


def _folded(text: str) -> tuple[str, list[int]]:
    """The text as it is compared, and the position of each of its characters in `text`."""
    parts: list[str] = []
    positions: list[int] = []
    for token in _TOKENS.finditer(text):
        if token[1] is not None:
            parts.append(" ")
            positions.append(token.start())
        elif token[3] is not None:
            parts.append(token[3])
            positions.extend(range(token.start(), token.end()))
    return _lower("".join(parts)), positions


def matches(text: str, sought: str) -> list[tuple[int, int]]:
    """Where `text` has the folded text `sought`: positions in code points, half open."""
    if _CHANGING.search(text) is None:
        return [(start, start + len(sought)) for start in _starts(_lower(text), sought)]
    folded, positions = _folded(text)
    return [(positions[start], positions[start + len(sought) - 1] + 1) for start in _starts(folded, sought)]


def _starts(text: str, sought: str) -> list[int]:
    starts, at = [], text.find(sought)
    while at >= 0:
        starts.append(at)
        at = text.find(sought, at + len(sought))
    return starts


def _pairs(folded: str) -> set[str]:
    if folded.isascii():
        return set()
    return {first + second for first, second in pairwise(folded) if not (first.isascii() and second.isascii())}


def gram_text(lines: Iterable[str]) -> str:
    """A text whose sequences of three characters are the grams of the lines, and a few more."""
    folded = [fold(line) for line in lines]
    text = "\n".join(folded)
    if _NOT_ASCII.search(text) is None:
        return text
    pairs = sorted(set().union(*map(_pairs, folded)))
    return "\n".join((text, "".join(pair + _PAIR_END for pair in pairs)))


def gram_numbers(lines: Iterable[str]) -> list[int]:
    """The grams of the lines, each as a number of 32 bits. Two grams may have the same number."""
    grams: set[str] = set()
    for line in lines:
        folded = fold(line)
        grams.update(map("".join, zip(folded, folded[1:], folded[2:], strict=False)))
        grams.update(pair + _PAIR_END for pair in _pairs(folded))
    return sorted({number_of(gram) for gram in grams})


def grams_of(sought: str, most: int = _MOST_GRAMS) -> list[str]:
    """The grams that a line with this folded text has; none if the text is too short for grams."""
    if len(sought) == SHORTEST:
        return [] if sought.isascii() else [sought + _PAIR_END]
    grams = list(dict.fromkeys(sought[at : at + 3] for at in range(len(sought) - 2)))
    step = -(-len(grams) // most)
    return grams[::step] if grams else []


def numbers_of(sought: str) -> list[int]:
    """`grams_of` as the numbers of `gram_numbers`."""
    return [number_of(gram) for gram in grams_of(sought, _MOST_NUMBERS)]


def number_of(gram: str) -> int:
    """The number of a gram, or of a mark."""
    return zlib.crc32(gram.encode("utf-8", "surrogatepass")) - 0x8000_0000
