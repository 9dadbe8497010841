"""The line that the user types: its keys, and the output since the first of them."""

from typing import Final

from postern.proxies.core.commands.standing import StandingLine
from postern.proxies.core.holding.edited_line import EditedLine
from postern.proxies.core.holding.keystrokes import Keystroke, Stroke
from postern.proxies.core.holding.rulings import HeldLine

_ECHO_BYTES: Final = 4 * 1024


class OpenLine:
    """The line so far. `held` reads it when a key that runs it is held."""

    def __init__(self, charset: str, *, is_new_line: bool) -> None:
        """`is_new_line` is False if keys of the line may have been forwarded before."""
        self._keys = EditedLine(charset)
        self._echo = bytearray()
        if not is_new_line:
            self.distrust_keys()

    @property
    def has_keys(self) -> bool:
        return self._keys.keys > 0

    @property
    def is_known(self) -> bool:
        """Whether the keys alone tell the line."""
        return self._keys.is_known

    def restart(self, *, is_known: bool = True) -> None:
        """Begin a new line. It is not known if it contains something that was not typed."""
        self._keys.restart(is_known=is_known)
        self._echo.clear()

    def distrust_keys(self) -> None:
        """Let the screen alone tell the line, because the keys that reached the host are not those noted here."""
        self._keys.restart(is_known=False, keys=1)
        self._echo[:] = b"?"

    def begin(self) -> None:
        """Forget the output before the first key of the line. Called before each key."""
        if not self._keys.keys:
            self._echo.clear()

    def take(self, stroke: Keystroke) -> None:
        """Apply a keystroke that does not run the line."""
        self._keys.take(stroke)

    def output(self, data: bytes) -> None:
        """Note output of the target."""
        if self._keys.keys and len(self._echo) < _ECHO_BYTES:
            self._echo += data

    def held(self, screen: StandingLine | None, runs: Stroke) -> HeldLine:
        """Return the line as keys and screen tell it, before the key of the kind `runs`."""
        echo = bytes(self._echo)
        shows_editor = screen is not None and screen.has_prompt and screen.has_editor
        return HeldLine(
            self._keys.text,
            screen,
            has_keys=self.has_keys,
            is_echoed=bool(echo.strip(b"\r\n\x07")),
            is_raw_echo=self._keys.is_raw_echo(echo) and (self._keys.echoes_controls or not shows_editor),
            is_edited_later=runs is Stroke.EDIT_AND_RUN,
        )
