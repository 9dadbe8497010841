"""A one-line editor for the menu and prompts: turns input bytes into output bytes. Does no I/O.

Supports UTF-8 with wide characters, cursor keys, Home and End, Ctrl-A/E/B/F/K/U/W/L/C/D/H and history. A line longer
than the screen scrolls sideways.
"""

import codecs
import re
import unicodedata
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

_MAX_LINE: Final = 1024
_MAX_HISTORY: Final = 100
_MAX_ESCAPE: Final = 32
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|[^\[O])")
_ESCAPE_BEGUN = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?")


class LineEnd(Enum):
    ENTER = "enter"
    INTERRUPT = "interrupt"  # Ctrl-C
    EOF = "eof"  # Ctrl-D on an empty line


def cells(text: str) -> int:
    """Return how many terminal cells `text` takes."""
    return sum(_width(char) for char in text)


def plain(text: str) -> str:
    """Return `text` without characters that could control a terminal or reorder its output. Line breaks stay."""
    return "".join(char for char in text if char == "\n" or unicodedata.category(char)[0] != "C")


def _width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in {"Cf", "Cc"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def fit(text: str, width: int) -> str:
    """Return `text` cut or padded to exactly `width` cells. A cut is shown as `…`. Control characters are removed."""
    clean = plain(text).replace("\n", " ")
    if cells(clean) <= width:
        return clean + " " * (width - cells(clean))
    clipped, used = "", 0
    for char in clean:
        if used + _width(char) > width - 1:
            break
        clipped += char
        used += _width(char)
    return clipped + "…" + " " * (width - 1 - used)


@dataclass
class LineEditor:
    """Edits one line. Feed input until `end` is set; `rest` then holds what was typed ahead."""

    prompt: str
    columns: int = 80
    echo: bool = True
    history: list[str] = field(default_factory=list)
    end: LineEnd | None = None
    text: str = ""
    rest: bytes = b""
    _cursor: int = 0
    _place: int = -1
    _draft: str = ""
    _pending: str = ""

    def __post_init__(self) -> None:
        self.prompt = plain(self.prompt)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._place = len(self.history)

    def start(self) -> bytes:
        """Return the first output."""
        return self.prompt.encode() if not self.echo else self._draw()

    def feed(self, data: bytes) -> bytes:
        """Process input and return the output."""
        output: list[str] = []
        for index in range(len(data)):
            if self.end is not None:
                self.rest = data[index:]
                break
            # One byte can complete no character, one character, or a damaged character and itself.
            output += [self._take(char) for char in self._decoder.decode(data[index : index + 1])]
        return "".join(output).encode()

    def redraw(self) -> bytes:
        return self._draw() if self.echo else b""

    def _take(self, char: str) -> str:
        if self._pending or char == "\x1b":
            return self._escape(char)
        if char in "\r\n":
            return self._finish(LineEnd.ENTER)
        if char == "\x03":
            self.text = ""
            return ("^C" if self.echo else "") + self._finish(LineEnd.INTERRUPT)
        if char == "\x04":
            return self._finish(LineEnd.EOF) if not self.text else ""
        if char < " " or char == "\x7f":
            return self._control(char)
        if unicodedata.category(char)[0] == "C" or len(self.text) >= _MAX_LINE:
            return ""
        self.text = self.text[: self._cursor] + char + self.text[self._cursor :]
        self._cursor += 1
        if not self.echo:
            return ""
        if self._cursor == len(self.text) and cells(self.prompt) + cells(self.text) < self.columns:
            return char
        return self._draw().decode()

    def _escape(self, char: str) -> str:
        self._pending += char
        if _ESCAPE.fullmatch(self._pending):
            sequence, self._pending = self._pending, ""
            return self._key(sequence)
        if not _ESCAPE_BEGUN.fullmatch(self._pending) or len(self._pending) > _MAX_ESCAPE:
            self._pending = ""
        return ""

    def _finish(self, how: LineEnd) -> str:
        self.end = how
        if how is LineEnd.ENTER and self.echo and self.text.strip() and self.text not in self.history[-1:]:
            self.history.append(self.text)
            del self.history[:-_MAX_HISTORY]
        return "\r\n"

    def _control(self, char: str) -> str:
        if char in "\x08\x7f":
            if self._cursor:
                self.text = self.text[: self._cursor - 1] + self.text[self._cursor :]
                self._cursor -= 1
        elif char == "\x15":
            self.text, self._cursor = self.text[self._cursor :], 0
        elif char == "\x17":
            head = self.text[: self._cursor].rstrip()
            head_kept = head[: head.rfind(" ") + 1]
            self.text, self._cursor = head_kept + self.text[self._cursor :], len(head_kept)
        elif char == "\x0b":
            self.text = self.text[: self._cursor]
        elif char == "\x0c" and self.echo:
            return "\x1b[H\x1b[2J" + self._draw().decode()
        else:
            return self._key({"\x01": "\x1b[H", "\x05": "\x1b[F", "\x02": "\x1b[D", "\x06": "\x1b[C",
                              "\x10": "\x1b[A", "\x0e": "\x1b[B"}.get(char, ""))  # fmt: skip
        return self._draw().decode() if self.echo else ""

    def _key(self, sequence: str) -> str:
        if not self.echo or not sequence:
            return ""
        name = (
            sequence[-1]
            if sequence[-1] != "~"
            else {"1": "H", "7": "H", "4": "F", "8": "F", "3": "X"}.get(sequence[2:3], "")
        )
        if name == "D":
            self._cursor = max(0, self._cursor - 1)
        elif name == "C":
            self._cursor = min(len(self.text), self._cursor + 1)
        elif name == "H":
            self._cursor = 0
        elif name == "F":
            self._cursor = len(self.text)
        elif name == "X":
            self.text = self.text[: self._cursor] + self.text[self._cursor + 1 :]
        elif name in {"A", "B"}:
            self._recall(-1 if name == "A" else 1)
        else:
            return ""
        return self._draw().decode()

    def _recall(self, step: int) -> None:
        place = self._place + step
        if not 0 <= place <= len(self.history):
            return
        if self._place == len(self.history):
            self._draft = self.text
        self._place = place
        self.text = self._draft if place == len(self.history) else self.history[place]
        self._cursor = len(self.text)

    def _draw(self) -> bytes:
        """Redraw the whole line. Of a line that is too long, draw the part around the cursor."""
        room = max(8, self.columns - cells(self.prompt) - 1)
        first = 0
        while cells(self.text[first : self._cursor]) >= room:
            first += 1
        visible = ""
        for char in self.text[first:]:
            if cells(visible) + _width(char) > room:
                break
            visible += char
        behind = cells(visible) - cells(self.text[first : self._cursor])
        back = f"\x1b[{behind}D" if behind > 0 else ""
        return f"\r{self.prompt}{visible}\x1b[K{back}".encode()
