"""How a text is compared with the lines of recordings."""

import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.contracts.search.folding import fold, gram_numbers, gram_text, grams_of, matches, numbers_of
from postern.contracts.search.lines import Line, LineKind
from postern.contracts.search.pieces import Packer, Piece, PieceDamaged, may_have, pack, texts_of, unpack

_TEXTS = st.text(alphabet=string.ascii_letters + " \t%_'\"中文录像é\u200fİẞ😀ſK", max_size=60)


@pytest.mark.parametrize(
    ("line", "sought", "found"),
    [
        ("Error: No such FILE", "no such file", [(7, 19)]),
        ("a   b", "a b", [(0, 5)]),
        ("a\tb", "A   B", [(0, 3)]),
        ("搜索录像", "录像", [(2, 4)]),
        ('100% of it\'s "done"', "% of it's \"", [(3, 14)]),
        ("אבג\u200f דהו", "ג ד", [(2, 6)]),
        ("x\u202eyz", "xyz", [(0, 4)]),
        ("aaaa", "aa", [(0, 2), (2, 4)]),
        ("Straße", "STRASSE", []),
        ("(a+)+$", "(a+)+$", [(0, 6)]),
        ("nothing", "some", []),
    ],
)
def test_matches(line: str, sought: str, found: list[tuple[int, int]]) -> None:
    assert matches(line, fold(sought)) == found


@given(_TEXTS, st.data())
def test_a_line_has_all_grams_of_what_it_contains(line: str, data: st.DataObject) -> None:
    folded = fold(line)
    start = data.draw(st.integers(0, max(0, len(folded) - 2)))
    sought = folded[start : start + data.draw(st.integers(2, 30))].strip()
    if len(sought) < 2:
        return
    assert matches(line, sought)
    assert may_have(pack([Line(0, LineKind.SCREEN, line)]).lines, sought)
    assert all(gram in gram_text(["other", line]) for gram in grams_of(sought))
    assert set(numbers_of(sought)) <= set(gram_numbers(["other", line]))


def test_expressions_cost_nothing() -> None:
    started = time.process_time()
    matches("a" * 4_000 + "!", fold("(a+)+" * 40))
    assert time.process_time() - started < 0.1


def test_pieces_return_their_lines() -> None:
    lines = [
        Line(n * 10, LineKind.COMMAND if n % 9 == 0 else LineKind.SCREEN, f"行 {n}", n % 2, ((0, n % 3),) * (n % 3))
        for n in range(200)
    ]
    given_away: list[Piece] = []
    packer = Packer(lambda piece, _texts: given_away.append(piece))
    for line in lines:
        packer.take(line)
    packer.finish()
    assert [line for piece in given_away for line in unpack(piece.lines)] == lines
    assert [piece.kinds for piece in given_away] == ["cs"] * 4
    assert (given_away[1].first_ms, given_away[1].last_ms) == (640, 1_270)


def test_damaged_pieces() -> None:
    packed = pack([Line(0, LineKind.SCREEN, "text")]).lines
    for damaged in (b"", b"rubbish", packed[:4], b"x" + packed):
        with pytest.raises(PieceDamaged):
            unpack(damaged)
    with pytest.raises(PieceDamaged):
        texts_of(b"rubbish")
