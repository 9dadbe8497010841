"""`Screen`: turns output bytes into a terminal's screen. The target is hostile: nothing raises, everything is bounded.

One regular expression splits the text into runs and complete sequences. Everything else goes through the slower path,
one character at a time. That path also keeps the state between two calls of `feed`.
"""

import codecs
import logging
import re
from typing import Final

from postern.contracts.vt.controls import CHARSET_SLOTS, CSI, ESCAPE, SINGLE
from postern.contracts.vt.grid import BLANK, CONTINUATION, Leaving, Row
from postern.contracts.vt.snapshot import draw
from postern.contracts.vt.style import apply
from postern.contracts.vt.terminal import Terminal
from postern.contracts.vt.widths import NARROW_CLASS, WIDE_CLASS

log = logging.getLogger(__name__)

MAX_COLUMNS: Final = 1000
MAX_ROWS: Final = 500
DEFAULT_COLUMNS: Final = 80
DEFAULT_ROWS: Final = 24

_NARROW, _NEW_LINE, _FINAL, _SINGLE, _WIDE, _ESCAPE, _STRING, _SEQUENCE = 1, 2, 6, 7, 8, 10, 11, 12
_TOKEN: Final = re.compile(
    rf"([{NARROW_CLASS}]+)"  # 1
    r"|(\r\n)"  # 2
    r"|(?:\x1b\[|\x9b)([<-?]?)([0-9;:]*)([ -/]*)([@-~])"  # 3 prefix, 4 parameters, 5 intermediates, 6 final
    r"|([\x00-\x1a\x1c-\x1f\x7f-\x8f\x91-\x97\x99\x9a\x9c])"  # 7
    rf"|([{WIDE_CLASS}]+)"  # 8
    r"|\x1b([ -/]*)([0-OQ-WYZ\\`-~])"  # 9 intermediates, 10 final
    r"|(\x1b[P\]X^_]|[\x90\x98\x9d\x9e\x9f])"  # 11 start of a string: operating system command, device control …
    r"|([\x1b\x9b])"  # 12 incomplete or interrupted sequence
    r"|([\s\S])"  # 13 a character outside the basic plane, or a combining character
)
_CSI_WHOLE: Final = re.compile(r"([<-?]?)([0-9;:]*)([ -/]*)([@-~])")
_STRING_END: Final = {
    "]": re.compile(r"[\x07\x18\x1a\x1b\x9c]"),
    "P": re.compile(r"[\x18\x1a\x1b\x9c]"),
}
_STRING_KIND: Final = {"\x90": "P", "\x98": "P", "\x9d": "]", "\x9e": "P", "\x9f": "P"}
#: Stands in for an open string in `pending`. Its beginning was dropped, so the stand-in must have no effect.
_STRING_STAND_IN: Final = {"]": b"\x1b]x;", "P": b"\x1bX"}
#: A longer sequence is skipped up to its end and has no effect.
_MAX_SEQUENCE: Final = 256
_MAX_PARAMETERS: Final = 32
_CACHE_SIZE: Final = 4096

_parsed: dict[str, tuple[int, ...]] = {}


def usable_size(columns: int, rows: int) -> tuple[int, int]:
    """Return the size that a screen uses for a requested size. 0 means unknown, and both values are bounded."""
    return (
        max(2, min(columns, MAX_COLUMNS)) if columns > 0 else DEFAULT_COLUMNS,
        max(1, min(rows, MAX_ROWS)) if rows > 0 else DEFAULT_ROWS,
    )


def _parameters(text: str) -> tuple[int, ...]:
    parsed = _parsed.get(text)
    if parsed is None:
        if len(_parsed) >= _CACHE_SIZE:
            _parsed.clear()
        items = text.split(";", _MAX_PARAMETERS)[:_MAX_PARAMETERS]
        numbers = [item.partition(":")[0] for item in items]
        parsed = tuple(int(number) if 0 < len(number) < 8 else (9_999_999 if number else 0) for number in numbers)
        if len(text) <= _MAX_SEQUENCE:
            _parsed[text] = parsed
    return parsed


class Screen:
    """A terminal of `columns` x `rows` cells. Sizes are in cells; positions count from 0."""

    def __init__(self, columns: int, rows: int) -> None:
        self._terminal = Terminal(*usable_size(columns, rows))
        self._start_parsing()
        #: How often an internal error reset the screen. Its content may be wrong since then.
        self.faults = 0

    def _start_parsing(self) -> None:
        # Bytes that are not UTF-8 are dropped, as in the browser's terminal.
        self._decoder = codecs.getincrementaldecoder("utf-8")("ignore")
        self._sequence = ""
        self._string = ""

    def feed(self, data: bytes) -> None:
        """Process output of the target, cut anywhere. Never raises."""
        try:
            self._feed(self._decoder.decode(data))
        except Exception:  # hostile input must never reach the relay as an exception; the error is counted and logged
            log.exception("terminal emulation failed; the screen was reset")
            self.faults += 1
            self._terminal.reset()
            self._start_parsing()

    def resize(self, columns: int, rows: int) -> None:
        """Change the size. Lines are cut or extended at the right margin."""
        self._terminal.resize(*usable_size(columns, rows))

    @property
    def columns(self) -> int:
        return self._terminal.columns

    @property
    def rows(self) -> int:
        return self._terminal.row_count

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row of the cursor. The column equals `columns` if the next character would wrap."""
        return self._terminal.x, self._terminal.y

    @property
    def alternate(self) -> bool:
        """Whether the alternate screen is active, as in full-screen programs."""
        return self._terminal.alternate

    @property
    def modes(self) -> frozenset[int]:
        """Numbers of the active DEC private modes."""
        terminal = self._terminal
        drawing = {6: terminal.origin, 7: terminal.wrap}
        return frozenset((terminal.modes - {7}) | {mode for mode, on in drawing.items() if on})

    @property
    def at_ground(self) -> bool:
        """Whether no sequence and no character is incomplete, so that a cut here loses nothing."""
        return not (self._sequence or self._string or self._decoder.getstate()[0])

    def pending(self) -> bytes:
        """Return what must follow a snapshot so that another terminal is in the same incomplete sequence."""
        head = _STRING_STAND_IN[self._string] if self._string else self._sequence.encode("utf-8")
        return head + self._decoder.getstate()[0]

    def lines(self) -> list[str]:
        """Return the visible rows without trailing blanks."""
        return [row.text().rstrip() for row in self._terminal.rows]

    def visible(self) -> list[Row]:
        """Return the rows as they are now. They change with the next call of `feed`."""
        return self._terminal.rows

    def watch(self, leaving: Leaving, *, erasing: Leaving | None = None, hiding: Leaving | None = None) -> None:
        """Call `leaving` with rows before they leave the screen: scrolled off, erased, or hidden by another screen.

        `erasing` and `hiding` are called instead for rows that are erased, and for those that another screen hides.
        """
        self._terminal.watch(leaving, erasing or leaving, hiding or leaving)

    def text(self, y: int, start: int = 0, end: int | None = None) -> str:
        """Return a part of row `y`, including trailing blanks."""
        return self._terminal.rows[y].text(start, end)

    def full(self, y: int) -> bool:
        """Whether row `y` reaches the margin: its last cell is used, or is padding before a wide character."""
        return self._terminal.rows[y].cells[-1] != BLANK

    def starts_wide(self, y: int) -> bool:
        """Whether row `y` begins with a wide character."""
        return self._terminal.rows[y].cells[1] == CONTINUATION

    def typed_text(self, y: int, start: int = 0, end: int | None = None) -> str:
        """Like `text`, but without padding cells before a wrapped wide character."""
        return self._terminal.rows[y].text(start, end, padding="")

    def wrapped(self, y: int) -> bool:
        """Whether row `y` continues the row above, which ended at the margin."""
        return self._terminal.rows[y].wrapped

    def keep_wraps(self) -> None:
        """Keep rows marked as wrapped when a line feed moves to them or their text is erased to the end.

        Line editors move and redraw inside a long line in this way. The browser's terminal forgets the wrap then.
        """
        self._terminal.keep_wraps = True

    def snapshot(self) -> bytes:
        """Return output that brings any terminal of this size into this state. Must be followed by `pending()`."""
        return draw(self._terminal).encode("utf-8")

    # Parsing

    def _feed(self, text: str) -> None:
        position = 0
        if self._string:
            position = self._skip_string(text, 0)
        elif self._sequence:
            sequence, self._sequence = self._sequence, ""
            position = self._slowly(sequence, text, 0)
        while position < len(text):
            position = self._run(text, position)

    def _run(self, text: str, position: int) -> int:
        """Process whole tokens from `position`. Returns the position at which to continue."""
        terminal = self._terminal
        for token in _TOKEN.finditer(text, position):
            kind = token.lastindex
            if kind == _NARROW:
                terminal.print_narrow(token[0])
            elif kind == _NEW_LINE:
                terminal.x = 0
                terminal.line_feed()
                terminal.join = 0
            elif kind == _FINAL:
                self._control(token[3], token[4], token[5], token[6])
            elif kind == _SINGLE:
                self._single(token[0])
            elif kind == _WIDE:
                terminal.print_wide(token[0])
            elif kind == _ESCAPE:
                self._escape(token[9], token[10])
            elif kind == _STRING:
                return self._begin_string(token[0][-1], text, token.end())
            elif kind == _SEQUENCE:
                return self._slowly("\x1b[" if token[0] == "\x9b" else token[0], text, token.end())
            else:
                terminal.print_other(token[0])
        return len(text)

    def _single(self, character: str) -> None:
        action = SINGLE.get(character)
        if action is not None:
            action(self._terminal)
        self._terminal.join = 0

    def _control(self, prefix: str, parameters: str, intermediates: str, final: str) -> None:
        terminal = self._terminal
        if final == "m" and not prefix and not intermediates:
            terminal.set_style(apply(terminal.style, parameters))
        else:
            action = CSI.get(prefix + intermediates + final)
            if action is not None:
                action(terminal, _parameters(parameters))
        terminal.join = 0

    def _escape(self, intermediates: str, final: str) -> None:
        terminal = self._terminal
        slot = CHARSET_SLOTS.get(intermediates)
        if slot is not None:
            terminal.designate(slot, final)
        else:
            action = ESCAPE.get(intermediates + final)
            if action is not None:
                action(terminal)
        terminal.join = 0

    def _begin_string(self, introducer: str, text: str, position: int) -> int:
        self._terminal.join = 0
        self._string = "]" if _STRING_KIND.get(introducer, introducer) == "]" else "P"
        return self._skip_string(text, position)

    def _skip_string(self, text: str, position: int) -> int:
        """Skip a string. An ESC that ends it begins the next sequence."""
        end = _STRING_END[self._string].search(text, position)
        if end is None:
            return len(text)
        self._string = ""
        return end.start() if end[0] == "\x1b" else end.end()

    def _slowly(self, sequence: str, text: str, position: int) -> int:  # noqa: C901, PLR0912 - one branch for each class of character, as in the parser's table
        """Process an incomplete sequence one character at a time. Controls inside it take effect immediately."""
        while position < len(text):
            character = text[position]
            position += 1
            if character == "\x1b":
                sequence = character
            elif character in "\x18\x1a":
                return position
            elif character < " ":
                self._single(character)
            elif character == "\x7f":
                continue
            elif character > "\x7f":
                return position - 1 if character < "\xa0" else position
            elif len(sequence) == 1 and character in "[P]X^_":
                if character != "[":
                    return self._begin_string(character, text, position)
                sequence += character
            elif sequence[1:2] == "[":
                if character >= "@":
                    whole = _CSI_WHOLE.fullmatch(sequence[2:] + character)
                    if whole is not None and len(sequence) < _MAX_SEQUENCE:
                        self._control(whole[1], whole[2], whole[3], whole[4])
                    return position
                if len(sequence) < _MAX_SEQUENCE:
                    sequence += character
            elif character >= "0":
                self._escape(sequence[1:], character)
                return position
            elif len(sequence) < _MAX_SEQUENCE:
                sequence += character
        self._sequence = sequence
        return position
