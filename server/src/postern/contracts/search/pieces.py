"""The pieces in which the lines of a recording are stored: about 64 lines each, deflated, with their moments."""

import json
import zlib
from collections.abc import Callable
from typing import Final, NamedTuple

from postern.contracts.search import marks
from postern.contracts.search.folding import gram_text, has_marks
from postern.contracts.search.lines import Line, LineKind

LINES: Final = 64
#: Pieces of one recording. What follows is not indexed.
MOST_PIECES: Final = 2**15
#: A piece with longer lines has fewer of them.
_MOST_CHARS: Final = 16 * 1024
#: The most that a stored piece may unpack to.
_MOST_BYTES: Final = 1024 * 1024
#: Times from the start of a recording that are longer (about 17 years) are damage, and stand for this one.
_MOST_MS: Final = 2**39
_LETTERS: Final = {kind.value[0]: kind for kind in LineKind}


class Piece(NamedTuple):
    """Packed lines, with the kinds and the time that they cover."""

    first_ms: int
    last_ms: int
    kinds: str
    lines: bytes


class PieceDamaged(Exception):
    """Stored lines cannot be unpacked."""


def pack(lines: list[Line]) -> Piece:
    """One piece of these lines."""
    head = json.dumps(
        [
            [line.ms for line in lines],
            "".join(line.kind[0] for line in lines),
            [line.repeated for line in lines],
            {place: line.hidden for place, line in enumerate(lines) if line.hidden},
        ],
        separators=(",", ":"),
    )
    text = "\n".join((head, *(line.text for line in lines)))
    return Piece(
        min(line.ms for line in lines),
        max(line.ms for line in lines),
        "".join(sorted({line.kind[0] for line in lines})),
        zlib.compress(text.encode("utf-8", "replace"), 6),
    )


def texts_of(packed: bytes) -> list[str]:
    """The texts of the lines, without their moments. Raises PieceDamaged."""
    return _unpacked(packed)[1:]


def may_have(packed: bytes, sought: str) -> bool:
    """Whether a line may have the folded text; a quick look before `unpack`. Raises PieceDamaged."""
    word = max(sought.split(" "), key=len)
    if not word.isascii():
        return True
    _head, _, text = _text_of(packed).partition("\n")
    # The only other character that is folded to a single letter of ASCII.
    return word in text.lower().replace("\u017f", "s") or has_marks(text)


def unpack(packed: bytes) -> list[Line]:
    """The lines of a piece. Raises PieceDamaged."""
    head, *texts = _unpacked(packed)
    try:
        moments, letters, repeated, hidden = json.loads(head)
        rows = zip(moments, letters, texts, repeated, strict=True)
        return [
            Line(ms, _LETTERS[letter], text, count, tuple((first, last) for first, last in hidden.get(str(place), ())))
            for place, (ms, letter, text, count) in enumerate(rows)
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PieceDamaged from error


def _unpacked(packed: bytes) -> list[str]:
    return _text_of(packed).split("\n")


def _text_of(packed: bytes) -> str:
    try:
        return zlib.decompressobj().decompress(packed, _MOST_BYTES).decode("utf-8")
    except (zlib.error, UnicodeDecodeError) as error:
        raise PieceDamaged from error


def indexed_text(packed: bytes, stored_marks: str) -> str:
    """The text whose grams an index of sequences of three characters keeps for a piece. Raises PieceDamaged."""
    return "\n".join((gram_text(texts_of(packed)), *marks.separate(stored_marks)))


class Packer:
    """Packs lines as they come; `give` gets each piece that is full."""

    def __init__(self, give: Callable[[Piece, list[str]], None]) -> None:
        self._give = give
        self._lines: list[Line] = []
        self._chars = 0

    def take(self, line: Line) -> None:
        """Add a line."""
        if self._lines and (len(self._lines) >= LINES or self._chars + len(line.text) > _MOST_CHARS):
            self.finish()
        self._lines.append(line if 0 <= line.ms <= _MOST_MS else line._replace(ms=min(max(line.ms, 0), _MOST_MS)))
        self._chars += len(line.text)

    def finish(self) -> None:
        """Give away the lines that are left."""
        if self._lines:
            self._give(pack(self._lines), [line.text for line in self._lines])
        self._lines, self._chars = [], 0
