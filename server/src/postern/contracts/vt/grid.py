"""The cells of one screen buffer, with its scroll region, tab stops and saved cursor.

A cell's text is one character plus combining characters. The right half of a wide character is `CONTINUATION`. A cell
left empty because a wide character did not fit before the margin is `PADDING`, so that it is not mistaken for a typed
blank.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from postern.contracts.vt.style import DEFAULT, Style

BLANK: Final = " "
CONTINUATION: Final = ""
PADDING: Final = "\x00"
_TAB_WIDTH: Final = 8


_TEMPLATES: Final = 256

_templates: dict[tuple[int, Style], tuple[list[str], list[Style]]] = {}


def _blank(columns: int, style: Style) -> tuple[list[str], list[Style]]:
    """Return the cells and styles that all blank rows of one width and style share."""
    blank_row = _templates.get((columns, style))
    if blank_row is None:
        if len(_templates) >= _TEMPLATES:
            _templates.clear()
        blank_row = _templates[columns, style] = ([BLANK] * columns, [style] * columns)
    return blank_row


class Row:
    """One line: cell texts, their styles, and whether it continues the row above.

    A blank row shares its lists with other rows until `own` is called, because hostile output can create thousands of
    blank rows with a few bytes. Callers must call `own` before they write into `cells` or `styles`.
    """

    __slots__ = ("cells", "shared", "styles", "wrapped")

    def __init__(self, columns: int, style: Style = DEFAULT) -> None:
        self.cells, self.styles = _blank(columns, style)
        self.shared = True
        self.wrapped = False

    def own(self) -> None:
        """Copy shared lists, so that they can be changed."""
        if self.shared:
            self.cells = self.cells.copy()
            self.styles = self.styles.copy()
            self.shared = False

    def text(self, start: int = 0, end: int | None = None, *, padding: str = BLANK) -> str:
        """Return the cells from `start` to `end` as text. Padding cells read as `padding`."""
        return "".join(self.cells[start:end]).replace(PADDING, padding)

    def erase(self, start: int, end: int, style: Style) -> None:
        """Blank the cells from `start` up to `end`. A wide character that is cut in two is erased completely."""
        end = min(end, len(self.cells))
        if start >= end:
            return
        if start == 0 and end == len(self.cells):
            self.cells, self.styles = _blank(end, style)
            self.shared = True
            return
        self.own()
        cells, styles = self.cells, self.styles
        self.split(start, style)
        self.split(end, style)
        cells[start:end] = [BLANK] * (end - start)
        styles[start:end] = [style] * (end - start)

    def split(self, at: int, style: Style) -> None:
        """Erase a wide character that spans the border before cell `at`."""
        cells = self.cells
        if 0 < at < len(cells) and cells[at] == CONTINUATION:
            cells[at - 1] = cells[at] = BLANK
            self.styles[at - 1] = self.styles[at] = style

    def insert(self, at: int, count: int, style: Style) -> None:
        """Shift the cells from `at` to the right by `count`."""
        columns = len(self.cells)
        count = min(count, columns - at)
        if count <= 0:
            return
        self.own()
        self.split(at, style)
        self.split(columns - count, style)
        self.cells[at:] = [BLANK] * count + self.cells[at : columns - count]
        self.styles[at:] = [style] * count + self.styles[at : columns - count]

    def delete(self, at: int, count: int, style: Style) -> None:
        """Remove `count` cells. Blanks enter from the right."""
        columns = len(self.cells)
        count = min(count, columns - at)
        if count <= 0:
            return
        self.own()
        self.split(at, style)
        self.split(at + count, style)
        self.cells[at:] = self.cells[at + count :] + [BLANK] * count
        self.styles[at:] = self.styles[at + count :] + [style] * count

    def resize(self, columns: int) -> None:
        """Cut or extend the row at the right margin."""
        self.own()
        present = len(self.cells)
        if columns < present:
            self.split(columns, DEFAULT)
            del self.cells[columns:]
            del self.styles[columns:]
        else:
            self.cells += [BLANK] * (columns - present)
            self.styles += [DEFAULT] * (columns - present)


@dataclass(frozen=True)
class SavedCursor:
    """The state that DECSC saves."""

    x: int = 0
    y: int = 0
    style: Style = DEFAULT
    charset: str = "B"


#: Is told rows before they leave the screen, and whether the row below continues the last of them.
Leaving = Callable[[list[Row], bool], None]


class Grid:
    """A buffer of rows. `x` and `y` hold the cursor only while the other buffer is active."""

    def __init__(self, columns: int, rows: int, style: Style = DEFAULT, *, leaving: "Leaving | None" = None) -> None:
        self.leaving = leaving
        self.columns = columns
        self.rows = [Row(columns, style) for _ in range(rows)]
        self.top = 0
        self.bottom = rows - 1
        self.saved = SavedCursor()
        self.tabs = set(range(0, columns, _TAB_WIDTH))
        self.x = 0
        self.y = 0

    def scroll_up(self, count: int, style: Style, *, wrapped: bool = False) -> None:
        """Scroll the region up. Blank rows enter at its bottom."""
        self.delete_rows(self.top, count, style)
        if wrapped:
            self.rows[self.bottom].wrapped = True

    def scroll_down(self, count: int, style: Style) -> None:
        self.insert_rows(self.top, count, style)

    def delete_rows(self, at: int, count: int, style: Style) -> None:
        """Delete rows from `at`, inside the scroll region."""
        count = min(count, self.bottom - at + 1)
        if self.leaving is not None:
            below = self.rows[at + count : at + count + 1]
            self.leaving(self.rows[at : at + count], bool(below) and below[0].wrapped)
        del self.rows[at : at + count]
        position = self.bottom - count + 1
        self.rows[position:position] = [Row(self.columns, style) for _ in range(count)]

    def insert_rows(self, at: int, count: int, style: Style) -> None:
        """Insert blank rows at `at`, inside the scroll region."""
        count = min(count, self.bottom - at + 1)
        if self.leaving is not None:
            self.leaving(self.rows[self.bottom - count + 1 : self.bottom + 1], False)
        del self.rows[self.bottom - count + 1 : self.bottom + 1]
        self.rows[at:at] = [Row(self.columns, style) for _ in range(count)]

    def resize(self, columns: int, rows: int, y: int) -> int:
        """Change the size. The cursor is in row `y`; returns its new row. Lines are cut, not reflowed."""
        if columns != self.columns:
            for row in self.rows:
                row.resize(columns)
            if columns > self.columns:
                first = -(-self.columns // _TAB_WIDTH) * _TAB_WIDTH
                self.tabs.update(range(first, columns, _TAB_WIDTH))
            self.tabs = {tab for tab in self.tabs if tab < columns}
            self.columns = columns
        surplus = len(self.rows) - rows
        if surplus > 0:
            # Remove rows below the cursor first, then rows at the top.
            below = min(surplus, len(self.rows) - 1 - y)
            if below:
                del self.rows[-below:]
            del self.rows[: surplus - below]
            y -= surplus - below
        else:
            self.rows += [Row(columns) for _ in range(-surplus)]
        self.top, self.bottom = 0, rows - 1
        self.saved = replace(self.saved, x=min(self.saved.x, columns - 1), y=min(self.saved.y, rows - 1))
        return max(0, min(y, rows - 1))
