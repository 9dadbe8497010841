"""Seeded random terminal output: valid sequences, hostile ones and garbage, mixed."""

import random

from postern.contracts.vt import Screen

_TEXTS = (
    "hello", " ", "x" * 30, "word word", "中文", "表格字符很长的一行中文文本", "é", "e\u0301", "😀", "👨\u200d👩", "1\ufe0f\u20e3",
    "─│┌", "\u0301", "ａ", "\ufeff",
)  # fmt: skip
_CONTROLS = ("\r\n", "\n", "\r", "\b", "\t", "\x0e", "\x0f", "\x00", "\x07", "\x7f", "\x84", "\x85", "\x88", "\v")
_FINALS = "@ABCDEFGHIJKLMPSTXZ`abdefghlmrsu"
_ESCAPES = (
    "\x1b7", "\x1b8", "\x1bD", "\x1bE", "\x1bH", "\x1bM", "\x1bc", "\x1b=", "\x1b>", "\x1b(0", "\x1b(B", "\x1b)0",
    "\x1bn", "\x1b#8", "\x1b[!p", "\x1b[3 q", "\x1b]0;title\x07", "\x1b]52;c;AAAA\x1b\\", "\x1bP+q\x1b\\", "\x1b_x\x1b\\",
    "\x1b[2 @", "\x1b[ A", "\x1b['}", "\x1b['~", "\x1b[2\r;3H", "\x1b[>4;2m", "\x1b[?4m", "\x1b[=c",
)  # fmt: skip
_MODES = (1, 2, 6, 7, 12, 25, 45, 47, 1000, 1002, 1004, 1006, 1047, 1048, 1049, 2004)
_STYLES = (
    "",
    "0",
    "1",
    "7",
    "31",
    "42",
    "38;5;200",
    "48;2;1;2;3",
    "4:3",
    "58;5;9",
    "38:2::9:8:7",
    "91;101",
    "22;39",
    "38;5",
    "2;53",
)


def fragment(source: random.Random, *, huge: int = 99999999999) -> bytes:
    """Return one random piece of output."""
    kind = source.random()
    if kind < 0.35:
        return source.choice(_TEXTS).encode()
    if kind < 0.5:
        return source.choice(_CONTROLS).encode()
    if kind < 0.6:
        return f"\x1b[{source.choice(_STYLES)}m".encode()
    if kind < 0.8:
        count = source.randint(0, 3)
        numbers = ";".join(str(source.choice((0, 1, 2, 3, 5, 9, 24, 80, huge))) for _ in range(count))
        return f"\x1b[{numbers}{source.choice(_FINALS)}".encode()
    if kind < 0.88:
        return f"\x1b[?{source.choice(_MODES)}{source.choice('hl')}".encode()
    if kind < 0.96:
        return source.choice(_ESCAPES).encode()
    return source.randbytes(source.randint(1, 12))


def state(screen: Screen) -> object:
    """Return all state that a snapshot must carry."""
    terminal = screen._terminal
    grids = [terminal.main] if terminal.grid is terminal.main else [terminal.main, terminal.grid]
    return (
        [
            (
                [row.text() for row in grid.rows],
                [["" if cell == "" else "x" for cell in row.cells] for row in grid.rows],
                [row.styles for row in grid.rows],
                [row.wrapped for row in grid.rows[1:]],
                (grid.top, grid.bottom),
                grid.saved,
                grid.tabs,
            )
            for grid in grids
        ],
        screen.cursor,
        screen.modes,
        terminal.style,
        terminal.charsets,
        terminal.level,
        (terminal.insert, terminal.newline, terminal.keypad, terminal.cursor_style),
    )
