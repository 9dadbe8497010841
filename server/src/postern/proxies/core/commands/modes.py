"""Tracks two terminal modes in all output at low cost: alternate screen and bracketed paste."""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import Final

_MODE: Final = re.compile(rb"(?:\x1b\[|\xc2\x9b)\?([0-9;]{1,40})([hl])")
_RESET: Final = b"\x1bc"
_LONGEST: Final = 48
_ALTERNATE: Final = frozenset({b"47", b"1047", b"1049"})
_PASTE: Final = b"2004"


class Change(Enum):
    """The mode change in a piece of output."""

    NOTHING = auto()
    ALTERNATE_ON = auto()
    ALTERNATE_OFF = auto()
    EDITOR_ON = auto()  # a line editor enabled bracketed paste: a prompt follows or has just been printed
    EDITOR_OFF = auto()  # the line editor has finished the line


class ModeWatch:
    """Splits output at the sequences that change a mode and removes those sequences."""

    def __init__(self) -> None:
        self.alternate = False
        self.editor = False
        self._held = b""

    def split(self, data: bytes) -> Iterator[tuple[bytes, Change]]:
        """Yield pieces of output, and mode changes with an empty piece. A possibly incomplete sequence is buffered."""
        if self._held:
            data = self._held + data
            self._held = b""
        escape = data.rfind(b"\x1b", max(0, len(data) - _LONGEST))
        if escape >= 0 and _may_go_on(data[escape:]):
            self._held = data[escape:]
            data = data[:escape]
        if b"?" not in data:
            if data:
                yield data, Change.NOTHING
            return
        position = 0
        for match in _MODE.finditer(data):
            numbers = match[1].split(b";")
            alternate, paste = not _ALTERNATE.isdisjoint(numbers), _PASTE in numbers
            if not (alternate or paste):
                continue
            if match.start() > position:
                yield data[position : match.start()], Change.NOTHING
            position = match.end()
            yield b"", self._change(on=match[2] == b"h", alternate=alternate)
        if position < len(data):
            yield data[position:], Change.NOTHING

    def _change(self, *, on: bool, alternate: bool) -> Change:
        if not alternate:
            self.editor = on
            return Change.EDITOR_ON if on else Change.EDITOR_OFF
        if on == self.alternate:
            return Change.NOTHING
        self.alternate = on
        return Change.ALTERNATE_ON if on else Change.ALTERNATE_OFF


def _may_go_on(tail: bytes) -> bool:
    """Whether `tail` may be the beginning of a sequence that sets a mode."""
    if len(tail) < 3:
        return b"\x1b[".startswith(tail)
    return tail.startswith(b"\x1b[?") and not tail[3:].strip(b"0123456789;")
