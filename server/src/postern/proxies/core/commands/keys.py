"""Parses the bytes that a user's terminal sends into key events. Does no I/O."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

#: The text of a line longer than this is dropped. The line can then only be read from the screen.
_MAX_TYPED: Final = 16 * 1024
_MAX_HALF_SEQUENCE: Final = 64
_PASTE_BEGINS: Final = "\x1b[200~"
_PASTE_ENDS: Final = "\x1b[201~"

_TOKEN: Final = re.compile(
    r"(\x1b\[20[01]~)"  # 1 paste
    r"|(\x1b\[[<-?]?[0-9;:]*[ -/]*[@-~]|\x1bO[ -~])"  # 2 keys and terminal reports
    r"|(\x1b[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\))"  # 3 terminal answers
    r"|(\x1b(?![\[\]OP_^X])[\s\S])"  # 4 key with Meta
    r"|([\r\n])"  # 5 Enter
    r"|([\x7f\b])"  # 6 Backspace
    r"|([\x03\x1a\x1c])"  # 7 cancels the line
    r"|(\x15)"  # 8 empties the line
    r"|([\x00-\x1a\x1c-\x1f])"  # 9 other control keys
    r"|([^\x00-\x1f\x7f]+)"  # 10 text
)
#: Final characters of sequences that terminals send on their own: positions, attributes, focus, mouse.
_REPORTS: Final = frozenset("RcInMmtyu")
_PASTE, _SEQUENCE, _ANSWER, _ENTER, _BACK, _GIVE_UP, _EMPTY, _TEXT = 1, 2, 3, 5, 6, 7, 8, 10


class Key(Enum):
    """The kinds of keys that command detection distinguishes."""

    TEXT = auto()
    ENTER = auto()
    BACK = auto()
    EMPTY = auto()
    EDIT = auto()  # any other key that may change the line: arrows, completion, search …
    GIVE_UP = auto()  # Ctrl-C and similar keys


@dataclass
class TypedLine:
    """The keys of one line so far. `text` is None when the line cannot be derived from the keys. It may contain a
    password.
    """

    text: str | None = ""
    characters: int = 0
    keys: int = 0

    def __repr__(self) -> str:  # the text may be a password, which a traceback must not show
        return f"TypedLine(keys={self.keys})"

    def take(self, key: Key, text: str) -> None:
        """Apply a key other than ENTER and GIVE_UP."""
        self.keys += 1
        if key is Key.TEXT:
            self.characters += len(text)
            if self.text is not None:
                self.text = self.text + text if len(self.text) + len(text) <= _MAX_TYPED else None
        elif key is Key.BACK and self.text is not None:
            self.text = self.text[:-1]
        elif key is Key.EMPTY and self.text is not None:
            self.text = ""
        else:
            self.text = None


class KeyReader:
    """Splits input into keys. Incomplete sequences and characters are buffered for the next call."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._half = ""
        self._pasting = False

    def read(self, data: bytes) -> Iterator[tuple[Key, str]]:
        """Yield the keys in `data`, each with its text (TEXT keys only). Line ends inside a bracketed paste are
        text.
        """
        text = self._half + self._decoder.decode(data)
        self._half = ""
        position = 0
        while position < len(text):
            token = _TOKEN.match(text, position)
            if token is None:
                # An incomplete escape sequence, or a lone Escape key.
                rest = text[position:]
                if len(rest) > _MAX_HALF_SEQUENCE:
                    yield Key.EDIT, ""
                else:
                    self._half = rest
                return
            position = token.end()
            yield from self._key(token)

    def _key(self, token: re.Match[str]) -> Iterator[tuple[Key, str]]:
        kind, text = token.lastindex, token[0]
        if kind == _PASTE:
            self._pasting = text == _PASTE_BEGINS
        elif kind == _TEXT:
            yield Key.TEXT, text
        elif kind == _ENTER:
            yield (Key.TEXT, "\n") if self._pasting else (Key.ENTER, "")
        elif self._pasting and text == "\t":
            yield Key.EDIT, ""
        elif kind == _BACK:
            yield Key.BACK, ""
        elif kind == _EMPTY:
            yield Key.EMPTY, ""
        elif kind == _GIVE_UP:
            yield Key.GIVE_UP, ""
        elif kind == _ANSWER or (kind == _SEQUENCE and text[1] == "[" and text[-1] in _REPORTS):
            return
        else:
            yield Key.EDIT, ""
