"""The state of a terminal and the effects of characters and controls.

Parsing is in `screen`, sequences are in `controls`. Behaves like xterm 6 in the browser (compared by tools/oracle), but
without scrollback and reflow.
"""

from typing import Final

from postern.contracts.vt.grid import BLANK, CONTINUATION, PADDING, Grid, Leaving, Row, SavedCursor
from postern.contracts.vt.style import DEFAULT, Style, erased
from postern.contracts.vt.widths import width

#: Maximum length of a cell: a character with its combining characters.
_MAX_CELL: Final = 16
_GRAPHICS: Final = str.maketrans("`abcdefghijklmnopqrstuvwxyz{|}~", "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
_BRITISH: Final = str.maketrans("#", "£")
_CHARSETS: Final[dict[str, dict[int, int] | None]] = {"0": _GRAPHICS, "A": _BRITISH, "B": None}
_DEFAULT_MODES: Final = frozenset({7, 25})
MOUSE_PROTOCOLS: Final = frozenset({9, 1000, 1002, 1003})
MOUSE_ENCODINGS: Final = frozenset({1006, 1016})


class Terminal:
    """Cursor, buffers and modes. If `x` equals `columns`, the next character wraps first."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.row_count = rows
        self.keep_wraps = False
        self.leaving: Leaving | None = None
        self.erasing: Leaving | None = None
        self.hiding: Leaving | None = None
        self.rows: list[Row] = []
        self.reset()

    def reset(self) -> None:
        """Return to the power-on state (RIS)."""
        if self.erasing is not None:
            self.erasing(self.rows, False)
        self.main = Grid(self.columns, self.row_count, leaving=self.leaving)
        self.grid = self.main
        self.rows = self.main.rows
        self.x = 0
        self.y = 0
        #: Width of the last printed character if nothing else came in between, otherwise 0.
        self.join = 0
        self.modes = set(_DEFAULT_MODES)
        self.insert = False
        self.newline = False
        self.keypad = False
        self.cursor_style = 0
        self._reset_drawing()

    def soft_reset(self) -> None:
        """Reset modes, attributes, charsets and region, but not the text (DECSTR)."""
        self.grid.top, self.grid.bottom = 0, self.row_count - 1
        self.grid.saved = SavedCursor()
        self.modes = set(_DEFAULT_MODES) | (self.modes & (MOUSE_PROTOCOLS | MOUSE_ENCODINGS))
        self.insert = False
        self._reset_drawing()

    def _reset_drawing(self) -> None:
        self.charsets = ["B", "B", "B", "B"]
        self.level = 0
        self._translation: dict[int, int] | None = None
        self.wrap = True
        self.origin = False
        self.set_style(DEFAULT)

    @property
    def alternate(self) -> bool:
        return self.grid is not self.main

    def set_style(self, style: Style) -> None:
        self.style = style
        self.erase_style = erased(style)

    # Leaving

    def watch(self, leaving: Leaving, erasing: Leaving, hiding: Leaving) -> None:
        """Call these for rows that scroll off, that are erased, and that another screen hides, from now on."""
        self.leaving = self.main.leaving = self.grid.leaving = leaving
        self.erasing, self.hiding = erasing, hiding

    def erase(self, rows: list[Row]) -> None:
        """These rows are about to be erased."""
        if self.erasing is not None:
            self.erasing(rows, False)

    # Printing

    def print_narrow(self, text: str) -> None:
        """Print characters that take one cell each."""
        if self._translation is not None:
            text = text.translate(self._translation)
        count = len(text)
        x = self.x
        end = x + count
        style = self.style
        if end > self.columns:
            self._print_over_margin(text)
        else:
            row = self.rows[self.y]
            if row.shared:
                row.own()
            if self.insert:
                row.insert(x, count, style)
            cells = row.cells
            if not cells[x]:
                row.split(x, style)
            if end < self.columns and not cells[end]:
                row.split(end, style)
            cells[x:end] = text
            row.styles[x:end] = [style] * count
            self.x = end
        self.join = 1

    def _print_over_margin(self, text: str) -> None:
        columns = self.columns
        translation, self._translation = self._translation, None
        position = 0
        while position < len(text):
            if self.x >= columns:
                if not self.wrap:
                    self.x = columns - 1
                    position = len(text) - 1  # each character overwrites the previous one
                else:
                    self.wrap_line()
            part = text[position : position + columns - self.x]
            self.print_narrow(part)
            position += len(part)
        self._translation = translation

    def print_wide(self, text: str) -> None:
        """Print characters that take two cells each."""
        end = self.x + 2 * len(text)
        style = self.style
        if end <= self.columns and not self.insert:
            row = self.rows[self.y]
            row.own()
            row.split(self.x, style)
            row.split(end, style)
            row.cells[self.x : end] = [cell for character in text for cell in (character, CONTINUATION)]
            row.styles[self.x : end] = [style] * (end - self.x)
            self.x = end
        else:
            for character in text:
                self._print_one_wide(character)
        self.join = 2

    def _print_one_wide(self, character: str) -> None:
        style = self.style
        row = self.rows[self.y]
        if self.x + 2 > self.columns:
            if not self.wrap:
                self.x = self.columns - 1
                return
            left_over = self.columns - self.x
            if left_over:
                row.own()
                row.split(self.x, style)
                row.cells[self.x :] = [PADDING] * left_over
                row.styles[self.x :] = [style] * left_over
            self.wrap_line()
            row = self.rows[self.y]
        x = self.x
        row.own()
        if self.insert:
            row.insert(x, 2, style)
        row.split(x, style)
        row.split(x + 2, style)
        row.cells[x : x + 2] = [character, CONTINUATION]
        row.styles[x : x + 2] = [style, style]
        self.x = x + 2

    def print_other(self, character: str) -> None:
        """Print a character of any width, including combining characters."""
        cells = width(character)
        if cells == 1:
            self.print_narrow(character)
        elif cells == 2:
            self.print_wide(character)
        elif character != "\ufeff":  # a byte order mark has no effect
            self._combine(character)

    def _combine(self, character: str) -> None:
        row = self.rows[self.y]
        row.own()
        cells = row.cells
        x = self.x
        if self.join and x:
            at = x - 1 if cells[x - 1] else x - 2
            if at >= 0 and len(cells[at]) < _MAX_CELL:
                cells[at] = (BLANK if cells[at] == PADDING else cells[at]) + character
        elif x < self.columns:
            # Without a character to combine with, it takes an empty cell, as in the browser.
            row.split(x, self.style)
            row.split(x + 1, self.style)
            cells[x] = BLANK
            self.x = x + 1

    def wrap_line(self) -> None:
        """Continue at the start of the next row, which is marked as continuing this row."""
        self.x = 0
        grid = self.grid
        if self.y == grid.bottom:
            grid.scroll_up(1, self.erase_style, wrapped=True)
        else:
            self.y = min(self.y + 1, self.row_count - 1)
            self.rows[self.y].wrapped = True

    def repeat(self, count: int) -> None:
        """Print the last character again (REP)."""
        if not self.join or self.x < self.join:
            return
        text = self.rows[self.y].cells[self.x - self.join]
        if not text:
            return
        # Repeating beyond a line is useless. The limit bounds the cost of a few hostile bytes.
        count = min(count, self.columns)
        if len(text) == 1 and self.join == 1:
            translation, self._translation = self._translation, None
            self.print_narrow(text * count)
            self._translation = translation
            return
        for _ in range(count):
            for character in text:
                self.print_other(character)

    # Lines

    def line_feed(self) -> None:
        grid = self.grid
        if self.newline:
            self.x = 0
        if self.y == grid.bottom:
            grid.scroll_up(1, self.erase_style)
        elif self.y < self.row_count - 1:
            self.y += 1
            if not self.keep_wraps:
                self.rows[self.y].wrapped = False
        if self.x >= self.columns:
            self.x = self.columns - 1

    def index(self) -> None:
        self.restrict()
        if self.y == self.grid.bottom:
            self.grid.scroll_up(1, self.erase_style)
        elif self.y < self.row_count - 1:
            self.y += 1
        self.restrict()

    def reverse_index(self) -> None:
        self.restrict()
        if self.y == self.grid.top:
            self.grid.scroll_down(1, self.erase_style)
        else:
            self.y -= 1
            self.restrict()

    def next_line(self) -> None:
        self.x = 0
        self.index()

    def back_space(self) -> None:
        self.restrict(self.columns if 45 in self.modes else self.columns - 1)
        if self.x > 0:
            self.x -= 1
        elif 45 in self.modes and self.grid.top < self.y <= self.grid.bottom and self.rows[self.y].wrapped:
            self.rows[self.y].wrapped = False
            self.y -= 1
            self.x = self.columns - 1
            if self.rows[self.y].cells[self.x] == PADDING:
                self.x -= 1
        self.restrict()

    def tab(self, count: int = 1) -> None:
        """Move to the `count`-th tab stop to the right, or to the last column."""
        if self.x >= self.columns:
            return
        stops = sorted(stop for stop in self.grid.tabs if stop > self.x)
        self.x = stops[count - 1] if count <= len(stops) else self.columns - 1

    def tab_back(self, count: int) -> None:
        if self.x >= self.columns:
            return
        stops = sorted((stop for stop in self.grid.tabs if stop < self.x), reverse=True)
        self.x = stops[count - 1] if count <= len(stops) else 0

    # Cursor

    def restrict(self, last_x: int | None = None) -> None:
        """Clamp the cursor to the screen, or in origin mode to the scroll region."""
        self.x = min(self.columns - 1 if last_x is None else last_x, max(0, self.x))
        if self.origin:
            self.y = min(self.grid.bottom, max(self.grid.top, self.y))
        else:
            self.y = min(self.row_count - 1, max(0, self.y))

    def place(self, x: int, y: int) -> None:
        """Move to a position as programs count it: in origin mode from the top of the scroll region."""
        self.x = x
        self.y = self.grid.top + y if self.origin else y
        self.restrict()

    def move(self, dx: int, dy: int) -> None:
        self.restrict()
        self.place(self.x + dx, self.y + dy)

    def save_cursor(self) -> None:
        self.grid.saved = SavedCursor(self.x, self.y, self.style, self.charsets[self.level])

    def restore_cursor(self) -> None:
        saved = self.grid.saved
        self.x, self.y = saved.x, saved.y
        self.set_style(saved.style)
        self.designate(self.level, saved.charset)
        self.restrict()

    # Character sets

    def designate(self, slot: int, charset: str) -> None:
        """Assign a character set to G0-G3. Unknown national sets count as ASCII."""
        self.charsets[slot] = charset if charset in _CHARSETS else "B"
        self.shift(self.level)

    def shift(self, level: int) -> None:
        self.level = level
        self._translation = _CHARSETS[self.charsets[level]]

    # Buffers and size

    def use_alternate(self) -> None:
        """Switch to a cleared alternate screen."""
        if self.grid is self.main:
            if self.hiding is not None:
                self.hiding(self.rows, False)
            self.main.x, self.main.y = self.x, self.y
            self._use(Grid(self.columns, self.row_count, self.erase_style, leaving=self.leaving))

    def use_main(self) -> None:
        if self.grid is not self.main:
            self.erase(self.rows)
            self._use(self.main)

    def _use(self, grid: Grid) -> None:
        self.grid = grid
        self.rows = grid.rows
        if self.origin:
            self.restrict(self.columns)

    def resize(self, columns: int, rows: int) -> None:
        if (columns, rows) == (self.columns, self.row_count):
            return
        self.y = self.grid.resize(columns, rows, self.y)
        if self.grid is not self.main:
            self.main.y = self.main.resize(columns, rows, self.main.y)
            self.main.x = min(self.main.x, columns - 1)
        self.columns, self.row_count = columns, rows
        self.x = min(self.x, columns - 1)
        self.join = 0
