"""One table row for each effect of a sequence."""

import time

import pytest

from postern.contracts.vt import Screen, usable_size
from postern.contracts.vt.widths import width
from timing import soon

CASES = [
    ("plain text", "hello", ["hello"], (5, 0)),
    ("new line and carriage return", "ab\r\ncd\ne", ["ab", "cd", "  e"], (3, 2)),
    ("back space and overwrite", "abc\b\bX", ["aXc"], (2, 0)),
    ("tab stops", "a\tb\tc", ["a       bc"], (10, 0)),
    ("wrap waits for the next character", "0123456789", ["0123456789"], (10, 0)),
    ("wrap at the margin", "0123456789ab", ["0123456789", "ab"], (2, 1)),
    ("no wrap", "\x1b[?7l0123456789ab", ["012345678b"], (10, 0)),
    ("scroll at the bottom", "1\r\n2\r\n3\r\n4\r\n5", ["2", "3", "4", "5"], (1, 3)),
    ("cursor position", "\x1b[3;4Hx\x1b[Hy", ["y", "", "   x"], (1, 0)),
    ("relative moves", "abc\x1b[2D_\x1b[B|\x1b[A^", ["a_c^", "  |"], (4, 0)),
    ("erase in line", "abcdef\x1b[3D\x1b[K", ["abc"], (3, 0)),
    ("erase before", "abcdef\x1b[3D\x1b[1K", ["    ef"], (3, 0)),
    ("erase display", "ab\r\ncd\x1b[2J", [], (2, 1)),
    ("insert and delete characters", "abcdef\r\x1b[2@\x1b[4C\x1b[P", ["  abdef"[:4] + "def"], (4, 0)),
    ("erase characters", "abcdef\r\x1b[2X", ["  cdef"], (0, 0)),
    ("insert lines", "1\r\n2\r\n3\x1b[H\x1b[L", ["", "1", "2", "3"], (0, 0)),
    ("delete lines", "1\r\n2\r\n3\x1b[H\x1b[M", ["2", "3"], (0, 0)),
    ("scroll region", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\nx", ["1", "3", "x", "4"], (1, 2)),
    ("reverse index at the top", "1\r\n2\x1b[H\x1bM0", ["0", "1", "2"], (1, 0)),
    ("origin mode", "\x1b[2;3r\x1b[?6h\x1b[Hx\x1b[9;1Hy", ["", "x", "y"], (1, 2)),
    ("saved cursor", "ab\x1b7\x1b[4;4H\x1b8c", ["abc"], (3, 0)),
    ("graphics", "\x1b(0lqk\x1b(Bq", ["┌─┐q"], (4, 0)),
    ("shift out and in", "\x1b)0\x0eq\x0fq", ["─q"], (2, 0)),
    ("wide characters", "中文x", ["中文x"], (5, 0)),
    ("wide character at the margin", "123456789中", ["123456789", "中"], (2, 1)),
    ("narrow over half of a wide one", "中\r\x1b[Cx", [" x"], (2, 0)),
    ("combining", "e\u0301x", ["e\u0301x"], (2, 0)),
    ("emoji", "😀x", ["😀x"], (3, 0)),
    ("repeat", "ab\x1b[3bc", ["abbbbc"], (6, 0)),
    ("insert mode", "abc\r\x1b[4hX\x1b[4lY", ["XYbc"], (2, 0)),
    ("titles and other strings are swallowed", "\x1b]0;t\x07a\x1b]2;u\x1b\\b\x1bPq#0\x1b\\c\x1b_k\x1b\\d", ["abcd"], (4, 0)),
    ("unknown sequences are swallowed", "a\x1b[?99zb\x1b[>4;2mc\x1b#3d", ["abcd"], (4, 0)),
    ("control inside a sequence", "ab\x1b[\r1Cx", ["ax"], (2, 0)),
    ("cancelled sequence", "a\x1b[31\x18b", ["ab"], (2, 0)),
    ("alignment pattern", "\x1b#8", ["E" * 10] * 4, (0, 0)),
    ("reset", "abc\x1b[?1049h\x1bcd", ["d"], (1, 0)),
    ("eight bit controls", "a\x9b2Cb\x85c", ["a  b", "c"], (1, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("data", "lines", "cursor"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_screen_shows(data: str, lines: list[str], cursor: tuple[int, int]) -> None:
    screen = Screen(10, 4)
    screen.feed(data.encode())
    assert screen.lines() == lines + [""] * (4 - len(lines))
    assert screen.cursor == cursor


@pytest.mark.parametrize("mode", [47, 1047, 1049])
def test_alternate_screen_left_shows_the_main_screen_again(mode: int) -> None:
    screen = Screen(20, 4)
    screen.feed(b"main\x1b[?%dh" % mode)
    assert screen.alternate is True
    assert screen.lines()[0] == ""
    screen.feed(b"\x1b[2;2Hfull screen")
    copy = Screen(20, 4)
    copy.feed(screen.snapshot())
    for each in (screen, copy):
        each.feed(b"\x1b[?%dl" % mode)
        assert each.alternate is False
        assert each.lines()[0] == "main"


def test_incomplete_sequence_and_character_are_reported_and_continued() -> None:
    for head, tail, line in (
        (b"a\x1b[3", b"1mb", "ab"),
        (b"a\xe4\xb8", b"\xadb", "a中b"),
        (b"a\x1b]0;secret ti", b"tle\x07b", "ab"),
        (b"a\x1bP1", b"2\x1b\\b", "ab"),
        (b"a\x1b", b"(Bb", "ab"),
    ):
        screen, copy = Screen(20, 2), Screen(20, 2)
        assert Screen(1, 1).at_ground
        screen.feed(head)
        assert not screen.at_ground
        copy.feed(screen.snapshot() + screen.pending())
        for each in (screen, copy):
            each.feed(tail)
            assert each.at_ground
            assert each.lines()[0] == line
    assert b"secret" not in screen.pending()


def test_k43_endless_sequences_take_no_memory() -> None:
    for opening in (b"\x1b]0;", b"\x1b[", b"\x1bP", b"\x1b(", b"\x1b[1"):
        screen = Screen(80, 24)
        screen.feed(opening)
        for _ in range(50):
            screen.feed(b"7" * 10_000 if opening != b"\x1b(" else b"(" * 10_000)
        assert len(screen.pending()) < 1000
        screen.feed(b"\x18ok")
        assert screen.lines()[0].endswith("ok")
    screen = Screen(80, 24)
    screen.feed(b"e" + "\u0301".encode() * 100_000)
    assert len(screen.lines()[0]) < 100
    screen.feed(b"x\x1b[999999999b\x1b[99999999S\x1b[99999999L\x1b[99999999@\x1b[99999999I\x1b[99999999;99999999H")
    assert screen.cursor == (79, 23)


def test_cell_left_before_a_wrapped_wide_character_is_padding() -> None:
    screen = Screen(10, 3)
    screen.feed("12345678 中".encode())
    assert screen.wrapped(1)
    assert screen.text(0) == "12345678  "
    assert screen._terminal.rows[0].cells[8:] == [" ", "\x00"]


def test_resize_keeps_the_rows_around_the_cursor() -> None:
    screen = Screen(10, 4)
    screen.feed(b"1\r\n2\r\n3\r\n4")
    screen.resize(10, 2)
    assert screen.lines() == ["3", "4"]
    assert screen.cursor == (1, 1)
    screen.resize(4, 3)
    screen.feed(b"abcdef")
    assert screen.lines() == ["3", "4abc", "def"]


def test_unknown_or_huge_size_becomes_usable() -> None:
    assert usable_size(0, 0) == (80, 24)
    assert usable_size(-1, 5) == (80, 5)
    assert usable_size(1, 1) == (2, 1)
    assert usable_size(100_000, 100_000) == (1000, 500)


def test_modes_are_reported() -> None:
    screen = Screen(10, 4)
    screen.feed(b"\x1b[?2004h\x1b[?1000;1006h\x1b[?25l\x1b[?7l\x1b[?6h")
    assert screen.modes == {2004, 1000, 1006, 6}
    screen.feed(b"\x1b[?1002h\x1b[?2004l\x1b[?25h\x1b[?7h\x1b[?6l")
    assert screen.modes == {1002, 1006, 25, 7}


def test_bytes_that_are_not_utf8_are_dropped() -> None:
    screen = Screen(10, 2)
    screen.feed(b"a\xff\xfeb\xe4\xb8c")
    assert screen.lines()[0] == "abc"


def test_widths() -> None:
    assert [width(c) for c in "aé中あ\u0301\u200d😀ﾊ\x07"] == [1, 1, 2, 2, 0, 0, 2, 1, 0]


@pytest.mark.parametrize(
    "data",
    [b"a\x1b[9999999b", b"\x1b[999L", b"\x1b[999M", b"\x1b[999S", b"\x1b[?1049h\x1b[?1049l", b"\x1b[9999I", b"\x1b[2J"],
    ids=["repeat", "insert-lines", "delete-lines", "scroll", "screens", "tabs", "clear"],
)
def test_k43_few_hostile_bytes_cost_little(data: bytes) -> None:
    def fed() -> float:
        screen = Screen(132, 50)
        start = time.process_time()
        for _ in range(10):
            screen.feed(data * (3200 // len(data)))
        return time.process_time() - start

    soon(fed, 2)  # 32 KB; before blank rows were shared it took up to 20 s
