"""Watches the modes with which line editors announce and leave their prompt."""

import re
from collections.abc import Callable
from typing import Final

#: What zsh shows before its prompts, and the mode of line editors.
_ZSH_MARK: Final = b"\x1b[1m\x1b[7m%"
_EDITOR_MODE: Final = re.compile(rb"\x1b\[\?2004([hl])")
#: How often bash leaves its line editor at Ctrl-C.
_EXITS_OF_INTERRUPT: Final = 2


class EditorModes:
    """Whether a line editor reads, and how many of its exits were caused by keys of the user."""

    def __init__(self, on_zsh: Callable[[], None], on_unheld_line: Callable[[], None]) -> None:
        """`on_unheld_line` is called when a line editor is left although no key that runs a line was released."""
        self._on_zsh = on_zsh
        self._on_unheld_line = on_unheld_line
        #: Whether the program that reads has asked for pasted blocks to be marked.
        self.has_editor = False
        #: Whether no line was released since.
        self.is_fresh = False
        #: Lines that were released, and have not left their line editor yet.
        self._runs = 1

    def look(self, output: bytes) -> None:
        """Look for marks in output that has an escape sequence."""
        if _ZSH_MARK in output:
            self._on_zsh()
        for mode in _EDITOR_MODE.finditer(output):
            if mode[1] == b"l" and self.has_editor:
                if self._runs == 0:
                    self._on_unheld_line()
                self._runs = max(0, self._runs - 1)
            self.has_editor = self.is_fresh = mode[1] == b"h"

    def interrupted(self) -> None:
        """Note that Ctrl-C, or a key that suspends, is sent."""
        self._runs += _EXITS_OF_INTERRUPT

    def ended(self) -> None:
        """Note that Ctrl-D is sent."""
        self._runs += 1

    def released(self, *, is_certain: bool) -> None:
        """Note that a line runs. `is_certain` if keys and screen agree, so that no earlier line is still running."""
        self._runs = 1 if is_certain else self._runs + 1
        self.is_fresh = False
