"""Writes a terminal's complete state as output that reproduces it on any terminal of the same size."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from postern.contracts.vt.grid import BLANK, CONTINUATION, PADDING, Grid, Row, SavedCursor
from postern.contracts.vt.style import DEFAULT, Style, erased, to_sgr
from postern.contracts.vt.terminal import Terminal

_RESET: Final = "\x1bc"
#: From this many erased cells on, an erase sequence is shorter than blanks.
_ERASE_FROM: Final = 6
_SLOT_MARKS: Final = "()*+"
_LEVEL_MARKS: Final = ("\x0f", "\x0e", "\x1bn", "\x1bo")


def draw(terminal: Terminal) -> str:
    """Write a reset, the text of both screens, regions, tabs, saved and present cursor, character sets and modes."""
    parts = [_RESET]
    main = terminal.main
    parts += _grid(main)
    if terminal.alternate:
        parts += _cursor(main, min(main.x, main.columns - 1), main.y)
        parts.append("\x1b[0m\x1b[?47h")
        parts += _grid(terminal.grid)
    parts += _cursor(terminal.grid, terminal.x, terminal.y)
    if terminal.origin:
        # Switching to origin mode moves the cursor home, so it is moved back afterwards.
        parts.append("\x1b[?6h")
        parts += _cursor(terminal.grid, terminal.x, terminal.y - terminal.grid.top, row=terminal.rows[terminal.y])
    parts += _charsets(terminal)
    parts += _modes(terminal)
    parts.append(to_sgr(terminal.style))
    return "".join(parts)


def _grid(grid: Grid) -> Iterator[str]:
    yield from _wrap_marks(grid)
    for y, row in enumerate(grid.rows):
        yield from _row(y, row)
    yield from _tabs(grid)
    if (grid.top, grid.bottom) != (0, len(grid.rows) - 1):
        yield f"\x1b[{grid.top + 1};{grid.bottom + 1}r"
    if grid.saved != SavedCursor():
        yield from _cursor(grid, grid.saved.x, grid.saved.y)
        yield f"\x1b({grid.saved.charset}\x0f{to_sgr(grid.saved.style)}\x1b7\x1b(B\x1b[0m"


def _wrap_marks(grid: Grid) -> Iterator[str]:
    """Mark rows as continuing the row above, by printing two blanks across the margin."""
    for y, (_, row) in enumerate(pairwise(grid.rows), start=1):
        if row.wrapped:
            yield f"\x1b[{y};{grid.columns}H  "


def _row(y: int, row: Row) -> Iterator[str]:
    x = 0
    columns = len(row.cells)
    at = -1  # column of the other terminal's cursor in this row; -1 if unknown
    style = None
    while x < columns:
        cell, cell_style = row.cells[x], row.styles[x]
        run = x + 1
        blank = cell in (BLANK, PADDING)
        if blank:
            while run < columns and row.cells[run] in (BLANK, PADDING) and row.styles[run] == cell_style:
                run += 1
        if not (blank and cell_style == DEFAULT):
            if at != x:
                yield f"\x1b[{y + 1};{x + 1}H"
            if style != cell_style:
                yield to_sgr(cell_style)
                style = cell_style
            if blank and run - x >= _ERASE_FROM and cell_style == erased(cell_style):
                yield f"\x1b[{run - x}X"
                at = x
            else:
                yield BLANK * (run - x) if blank else cell
                at = run
                if run < columns and row.cells[run] == CONTINUATION:
                    at = run = run + 1
        x = run
    if style not in (None, DEFAULT):
        yield "\x1b[0m"


def _cursor(grid: Grid, x: int, y: int, *, row: Row | None = None) -> Iterator[str]:
    """Move to a cell. To wait behind the last column, its character is printed again."""
    if x < grid.columns:
        yield f"\x1b[{y + 1};{x + 1}H"
        return
    row = row or grid.rows[y]
    at = grid.columns - 1
    if row.cells[at] == CONTINUATION and at > 0:
        at -= 1
    cell = row.cells[at]
    style: Style = row.styles[at]
    yield f"\x1b[{y + 1};{at + 1}H{to_sgr(style)}{BLANK if cell == PADDING else cell}\x1b[0m"


def _tabs(grid: Grid) -> Iterator[str]:
    if grid.tabs != set(range(0, grid.columns, 8)):
        yield "\x1b[3g"
        for stop in sorted(grid.tabs):
            yield f"\x1b[1;{stop + 1}H\x1bH"


def _charsets(terminal: Terminal) -> Iterator[str]:
    for mark, charset in zip(_SLOT_MARKS, terminal.charsets, strict=True):
        if charset != "B":
            yield f"\x1b{mark}{charset}"
    if terminal.level:
        yield _LEVEL_MARKS[terminal.level]


def _modes(terminal: Terminal) -> Iterator[str]:
    for mode in sorted(terminal.modes - {7, 25, 2026}):
        yield f"\x1b[?{mode}h"
    if 25 not in terminal.modes:
        yield "\x1b[?25l"
    if not terminal.wrap:
        yield "\x1b[?7l"
    if terminal.insert:
        yield "\x1b[4h"
    if terminal.newline:
        yield "\x1b[20h"
    if terminal.keypad:
        yield "\x1b="
    if terminal.cursor_style:
        yield f"\x1b[{terminal.cursor_style} q"
