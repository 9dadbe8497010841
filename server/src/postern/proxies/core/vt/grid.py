"""The cells of one screen buffer, with its scroll region, tab stops and saved cursor.

A cell's text is one character (plus combining ones). The right half of a wide character is `CONTINUATION`; a cell left
over because a wide character did not fit before the margin is `PADDING`, so that it is not taken for a typed blank.
"""

from dataclasses import dataclass, replace
from typing import Final

from postern.proxies.core.vt.style import DEFAULT, Style

BLANK: Final = " "
CONTINUATION: Final = ""
PADDING: Final = "\x00"
_TAB_WIDTH: Final = 8


_TEMPLATES: Final = 256

_templates: dict[tuple[int, Style], tuple[list[str], list[Style]]] = {}


def _blank(columns: int, style: Style) -> tuple[list[str], list[Style]]:
    """The cells and styles that all blank rows of one sort share."""
    found = _templates.get((columns, style))
    if found is None:
        if len(_templates) >= _TEMPLATES:
            _templates.clear()
        found = _templates[columns, style] = ([BLANK] * columns, [style] * columns)
    return found


class Row:
    """One line: cell texts, their styles, and whether it continues the row above.

    A blank row shares its lists with others until it is `own`ed: hostile output can make blank rows by the thousand
    with a few bytes. Whoever writes into `cells` or `styles` calls `own` first.
    """

    __slots__ = ("cells", "shared", "styles", "wrapped")

    def __init__(self, columns: int, style: Style = DEFAULT) -> None:
        self.cells, self.styles = _blank(columns, style)
        self.shared = True
        self.wrapped = False

    def own(self) -> None:
        """Make the lists this row's own."""
        if self.shared:
            self.cells = self.cells.copy()
            self.styles = self.styles.copy()
            self.shared = False

    def text(self, start: int = 0, end: int | None = None, *, padding: str = BLANK) -> str:
        """The cells from `start` to `end` as text; padding reads as a blank, or as told."""
        return "".join(self.cells[start:end]).replace(PADDING, padding)

    def erase(self, start: int, end: int, style: Style) -> None:
        """Blank the cells from `start` to before `end`; a wide character that is cut in two goes as a whole."""
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
        """Make sure that no wide character spans the border before cell `at`."""
        cells = self.cells
        if 0 < at < len(cells) and cells[at] == CONTINUATION:
            cells[at - 1] = cells[at] = BLANK
            self.styles[at - 1] = self.styles[at] = style

    def insert(self, at: int, count: int, style: Style) -> None:
        """Push the cells from `at` on to the right by `count`."""
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
        """Take out `count` cells; blanks come in from the right."""
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
        """Cut or widen at the right margin."""
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
    """What DECSC keeps."""

    x: int = 0
    y: int = 0
    style: Style = DEFAULT
    charset: str = "B"


class Grid:
    """A buffer of rows. `x`, `y` hold the cursor only while the other buffer is on."""

    def __init__(self, columns: int, rows: int, style: Style = DEFAULT) -> None:
        self.columns = columns
        self.rows = [Row(columns, style) for _ in range(rows)]
        self.top = 0
        self.bottom = rows - 1
        self.saved = SavedCursor()
        self.tabs = set(range(0, columns, _TAB_WIDTH))
        self.x = 0
        self.y = 0

    def scroll_up(self, count: int, style: Style, *, wrapped: bool = False) -> None:
        """Move the scroll region up; blank rows come in at its bottom."""
        self.delete_rows(self.top, count, style)
        if wrapped:
            self.rows[self.bottom].wrapped = True

    def scroll_down(self, count: int, style: Style) -> None:
        self.insert_rows(self.top, count, style)

    def delete_rows(self, at: int, count: int, style: Style) -> None:
        """Take out rows from `at` on, inside the scroll region."""
        count = min(count, self.bottom - at + 1)
        del self.rows[at : at + count]
        position = self.bottom - count + 1
        self.rows[position:position] = [Row(self.columns, style) for _ in range(count)]

    def insert_rows(self, at: int, count: int, style: Style) -> None:
        """Push rows down from `at` on, inside the scroll region."""
        count = min(count, self.bottom - at + 1)
        del self.rows[self.bottom - count + 1 : self.bottom + 1]
        self.rows[at:at] = [Row(self.columns, style) for _ in range(count)]

    def resize(self, columns: int, rows: int, y: int) -> int:
        """Change the size; the cursor is in row `y`. Returns its new row. Lines are cut, not wrapped anew."""
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
            # Rows below the cursor go first, then those at the top.
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
