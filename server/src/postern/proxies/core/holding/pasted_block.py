"""A pasted block, between the marks that a terminal puts around it."""

from typing import Final

from postern.proxies.core.holding.keystrokes import Keystroke, Stroke

#: A longer block is judged before all of it has arrived.
_MAX_BYTES: Final = 64 * 1024


class PastedBlock:
    """The bytes of a pasted block and its text. The text may be a password, so it is kept in memory only."""

    def __init__(self, mark: bytes) -> None:
        self.data = bytearray(mark)
        self.text = ""

    def __repr__(self) -> str:  # a traceback must not show the text
        return f"PastedBlock({len(self.data)} bytes)"

    @property
    def has_lines(self) -> bool:
        """Whether the block has a line end."""
        return "\n" in self.text

    def take(self, stroke: Keystroke) -> bool:
        """Add a keystroke. Returns whether the block is complete or too long to wait for the rest."""
        self.data += stroke.data
        if stroke.kind is Stroke.PASTE_ENDS:
            return True
        self.text += "\n" if stroke.kind is Stroke.RUN else stroke.whole.decode("utf-8", "replace")
        return len(self.data) > _MAX_BYTES
