"""Sorts the user's input: what is forwarded at once, and the key or pasted block that is held."""

from collections.abc import Callable
from typing import Final, Protocol

from postern.proxies.core.holding.editor_modes import EditorModes
from postern.proxies.core.holding.keystrokes import RUNS, Keystroke, KeystrokeReader, Stroke
from postern.proxies.core.holding.open_line import OpenLine
from postern.proxies.core.holding.pasted_block import PastedBlock

#: Keys that end or suspend a program.
_ENDING: Final = frozenset({b"\x1a", b"\x1c"})


class KeyEffects(Protocol):
    """What keys that are forwarded do besides changing the line: the gate."""

    def line_dropped(self) -> None:
        """Ctrl-C, or a key that suspends, is sent."""

    def input_ended(self) -> None:
        """Ctrl-D is sent."""


class UserKeys:
    """The keys of one terminal, in the order of their arrival."""

    def __init__(
        self, line: OpenLine, modes: EditorModes, effects: KeyEffects, is_in_editor: Callable[[], bool]
    ) -> None:
        """`is_in_editor` tells whether a full-screen program reads the keys. Only Enter can run something in it."""
        self._line = line
        self._modes = modes
        self._effects = effects
        self._is_in_editor = is_in_editor
        self._strokes = KeystrokeReader()
        self._paste: PastedBlock | None = None
        #: What the host has received of the mark at the beginning of the block.
        self._mark_on_host = b""

    def until_held(self, data: bytes) -> tuple[bytes, Keystroke | PastedBlock | None, bytes]:
        """Return the input to forward at once, what is held behind it, and the input behind that.

        A pasted block is held if it has line ends: whether the program that reads it takes them as text is the
        program's affair.
        """
        onward = bytearray()
        for stroke, rest in self._strokes.read(data):
            if self._paste is not None:
                self._line.take(stroke)
                if self._paste.take(stroke):
                    block, self._paste = self._paste, None
                    if block.has_lines and not self._is_in_editor():
                        return bytes(onward), block, rest
                    onward += block.data
            elif stroke.kind is Stroke.PASTE_BEGINS and self._takes_blocks():
                self._line.take(stroke)
                self._paste = PastedBlock(stroke.data)
                self._mark_on_host = stroke.whole[: len(stroke.whole) - len(stroke.data)]
            elif self._is_held(stroke):
                return bytes(onward), stroke, rest
            else:
                self._take(stroke)
                onward += stroke.data
        return bytes(onward), None, b""

    def forget(self) -> None:
        """Drop the beginnings of a sequence and of a block, whose rest is dropped too."""
        self._strokes.forget()
        self._paste = None

    def drop_block(self) -> bool:
        """Drop a block whose end has not arrived. The host has received the beginning of any other sequence, so that
        stays. Returns whether there was a block.
        """
        block, self._paste = self._paste, None
        if block is not None:
            self._strokes.forget(self._mark_on_host)
        return block is not None

    def _is_held(self, stroke: Keystroke) -> bool:
        if stroke.kind is Stroke.RUN:
            return True
        if stroke.kind is Stroke.END:
            return self._line.has_keys and not self._is_in_editor()
        return stroke.kind in RUNS and not self._is_in_editor()

    def _takes_blocks(self) -> bool:
        """Whether the program that reads has asked for pasted blocks to be marked, so that line ends in them are text."""
        return self._modes.has_editor and (self._modes.is_fresh or self._is_in_editor())

    def _take(self, stroke: Keystroke) -> None:
        self._line.begin()
        if stroke.kind is Stroke.INTERRUPT or stroke.whole in _ENDING:
            self._effects.line_dropped()
        elif stroke.kind is Stroke.END:
            self._effects.input_ended()
        else:
            self._line.take(stroke)
