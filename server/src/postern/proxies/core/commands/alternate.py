"""Detects lines entered in full-screen programs: at Enter, the row with the cursor is read.

Output is emulated only when a key requires it.
"""

from typing import Final

from postern.contracts.vt import Screen
from postern.proxies.core.commands.keys import Key, TypedLine
from postern.proxies.core.commands.standing import StandingLine

#: Output is buffered until a key arrives. Of a flood only the end is buffered, because full-screen programs redraw
#: repeatedly.
_MAX_WAITING: Final = 128 * 1024
_KEPT_OF_FLOOD: Final = 48 * 1024
#: Characters that terminal multiplexers draw between panes.
_BORDERS: Final = "│┃"


class AlternateScreen:
    """The alternate screen, from entering to leaving it."""

    def __init__(self, columns: int, rows: int) -> None:
        self._screen = Screen(columns, rows)
        self._waiting = bytearray()
        self._typed = TypedLine()
        self._start: tuple[int, str] | None = None
        self._answered = True
        self._submitted: tuple[int, tuple[int, str], int] | None = None

    def output(self, data: bytes) -> tuple[str, int] | None:
        """Process output. Returns a line and its time if an Enter was waiting for the echo of its keys."""
        self._waiting += data
        if len(self._waiting) > _MAX_WAITING:
            del self._waiting[:-_KEPT_OF_FLOOD]
        self._answered = True
        if self._submitted is None:
            return None
        y, start, at_ms = self._submitted
        self._submitted = None
        self._catch_up()
        return self._read(y, start), at_ms

    def resize(self, columns: int, rows: int) -> None:
        self._catch_up()
        self._screen.resize(columns, rows)

    def key(self, key: Key, text: str, now_ms: int) -> tuple[str, int] | None:
        """Process a key. Returns a line and its time if this key was the Enter that ended the line."""
        if self._start is None:
            self._catch_up()
            x, y = self._screen.cursor
            self._start = (x, self._screen.text(y, 0, x))
        if key is Key.GIVE_UP:
            self._start = None
            self._typed = TypedLine()
        elif key is not Key.ENTER:
            self._typed.take(key, text)
            self._answered = False
        else:
            start, self._start = self._start, None
            had_keys, self._typed = self._typed.keys > 0, TypedLine()
            if had_keys:
                self._catch_up()
                y = self._screen.cursor[1]
                if self._answered:
                    return self._read(y, start), now_ms
                self._submitted = (y, start, now_ms)
        return None

    def standing_line(self) -> StandingLine:
        """Return the line of the cursor, before its Enter."""
        self._catch_up()
        x, y = self._screen.cursor
        text = self._read(y, self._start if self._start is not None else (x, self._screen.text(y, 0, x)))
        last_y, row = y, self._screen.text(y).rstrip()
        while y > 0 and self._screen.full(y - 1):  # a long line of a program without wraps of its own
            y -= 1
            row = self._screen.text(y) + row
        return StandingLine(text, is_alternate=True, row=row.strip(), is_last_row=last_y == self._screen.rows - 1)

    def _catch_up(self) -> None:
        self._screen.feed(bytes(self._waiting))
        self._waiting.clear()

    def _read(self, y: int, start: tuple[int, str]) -> str:
        y = min(y, self._screen.rows - 1)
        column, prompt = start
        x = self._screen.cursor[0]
        before = self._screen.text(y, 0, x)
        text_x = max(before.rfind(border) for border in _BORDERS) + 1
        # The text starts at the column of the first key, unless the cursor has moved since, for example to another
        # pane.
        if prompt.strip() and column >= text_x and self._screen.text(y, 0, column) == prompt:
            text_x = column
        text = self._screen.text(y, text_x)
        for border in _BORDERS:
            text = text.partition(border)[0]
        return text.strip()
