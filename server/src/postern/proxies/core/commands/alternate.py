"""Lines inside full-screen programs: the row of the cursor at Enter. Emulated only when a key asks for it."""

from typing import Final

from postern.proxies.core.commands.keys import Key, TypedLine
from postern.proxies.core.vt import Screen

#: Output is kept until a key comes; of a flood only the end, because full-screen programs draw again and again.
_MAX_WAITING: Final = 128 * 1024
_KEPT_OF_FLOOD: Final = 48 * 1024
#: Borders between the panes of terminal multiplexers.
_BORDERS: Final = "│┃"


class AlternateScreen:
    """One stay on the alternate screen."""

    def __init__(self, columns: int, rows: int) -> None:
        self._screen = Screen(columns, rows)
        self._waiting = bytearray()
        self._typed = TypedLine()
        self._start: tuple[int, str] | None = None
        self._answered = True
        self._submitted: tuple[int, tuple[int, str], int] | None = None

    def output(self, data: bytes) -> tuple[str, int] | None:
        """Take output. Returns a line and its time if an Enter was waiting for the echo of its keys."""
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
        """Take a key. Returns a line and its time if this was the Enter that ended it."""
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

    def _catch_up(self) -> None:
        self._screen.feed(bytes(self._waiting))
        self._waiting.clear()

    def _read(self, y: int, start: tuple[int, str]) -> str:
        y = min(y, self._screen.rows - 1)
        column, prompt = start
        x = self._screen.cursor[0]
        before = self._screen.text(y, 0, x)
        text_x = max(before.rfind(border) for border in _BORDERS) + 1
        # Where the first key was, unless the cursor has moved elsewhere since, to another pane perhaps.
        if prompt.strip() and column >= text_x and self._screen.text(y, 0, column) == prompt:
            text_x = column
        text = self._screen.text(y, text_x)
        for border in _BORDERS:
            text = text.partition(border)[0]
        return text.strip()
