"""Splits what a user's terminal sends into keystrokes, at bytes, so that each byte is forwarded or held exactly once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

_MAX_HALF: Final = 64
_TOKEN: Final = re.compile(
    rb"(\x1b\[200~)"  # 1 paste begins
    rb"|(\x1b\[201~)"  # 2 paste ends
    # 3 keys that run a line: CR, LF, Ctrl-O, `ESC a` (zsh), keypad Enter, and Enter as newer terminals report it, with
    # and without modifiers. The last forms also cover Ctrl-M, Ctrl-J and Ctrl-O of those terminals.
    rb"|([\r\n]|\x1bOM|\x1b\[27;\d+;(?:13|106|109|111)~"
    rb"|\x1b\[(?:13(?:[;:][0-9;:]*)?|57414(?:[;:][0-9;:]*)?|(?:106|109|111)(?::\d*)*;[0-9;:]+)u)"
    rb"|(\x0f|\x1ba)"  # 4 keys that run a line and leave another one standing
    rb"|(\x18\x05)"  # 5 Ctrl-X Ctrl-E: edits the line in an editor and runs the result
    rb"|(\x04|\x1b\[27;5;100~|\x1b\[100;5u)"  # 6 Ctrl-D
    rb"|(\x03)"  # 7 Ctrl-C
    rb"|(\x1b\[[<-?]?[0-9;:]*[ -/]*[@-~]|\x1bO[ -~])"  # 8 other keys and reports of the terminal
    rb"|(\x1b[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\))"  # 9 answers of the terminal
    rb"|(\x1b(?![\[\]OP_^X\r\n\x1b])[\s\S])"  # 10 key with Meta
    rb"|(\x1b(?=[\r\n\x1b]))"  # 11 Escape
    rb"|([\x00-\x1a\x1c-\x1f\x7f])"  # 12 other control keys
    rb"|([^\x00-\x1f\x7f]+)"  # 13 text
)


class Stroke(Enum):
    """The kinds of keystrokes that the gate distinguishes. Values are the groups of the expression above."""

    PASTE_BEGINS = 1
    PASTE_ENDS = 2
    RUN = 3
    RUN_AND_STAY = 4
    EDIT_AND_RUN = 5
    END = 6
    INTERRUPT = 7
    SEQUENCE = 8
    ANSWER = 9
    META = 10
    ESCAPE = 11
    CONTROL = 12
    TEXT = 13
    #: The beginning of a sequence whose rest has not arrived.
    HALF = auto()


RUNS: Final = frozenset({Stroke.RUN, Stroke.RUN_AND_STAY, Stroke.EDIT_AND_RUN})


@dataclass(frozen=True, slots=True)
class Keystroke:
    """One keystroke. `whole` are its bytes, `data` those of them that have not been forwarded yet."""

    kind: Stroke
    whole: bytes
    data: bytes


class KeystrokeReader:
    """Reads keystrokes. The beginning of an incomplete sequence is forwarded at once and remembered."""

    def __init__(self) -> None:
        self._half = b""

    def read(self, data: bytes) -> Iterator[tuple[Keystroke, bytes]]:
        """Yield each keystroke with the bytes behind it. A caller that stops must call `read` with those bytes later."""
        before = len(self._half)
        text = self._half + data
        self._half = b""
        position = 0
        while position < len(text):
            token = _TOKEN.match(text, position)
            if token is None or (token[0] == b"\x18" and token.end() == len(text)):
                rest = text[position:]
                self._half = rest if len(rest) <= _MAX_HALF else b""
                yield Keystroke(Stroke.HALF, rest, text[max(position, before) :]), b""
                return
            kind = Stroke(token.lastindex)
            start, position = max(token.start(), before), token.end()
            yield Keystroke(kind, token[0], text[start:position]), text[position:]

    def forget(self, forwarded: bytes = b"") -> None:
        """Drop the beginning of a sequence, except for what the host has received of it."""
        self._half = forwarded
