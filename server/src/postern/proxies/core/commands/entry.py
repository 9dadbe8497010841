"""The entry being collected: an entered line and the beginning of its output."""

from collections.abc import Callable
from typing import Final

from postern.contracts.enums import CommandKind
from postern.proxies.core.commands.detected import DetectedCommand
from postern.proxies.core.commands.plain_text import plain_text, without_prompt_mark

_OUTPUT_BYTES: Final = 4096
_MAX_INPUT: Final = 16 * 1024


class Entry:
    """At most one entry is open. Opening the next entry reports the previous one."""

    def __init__(self, on_command: Callable[[DetectedCommand], None]) -> None:
        self._on_command = on_command
        self._kind = CommandKind.UNKNOWN
        self._text = ""
        self._output = bytearray()
        self.opened_ms: int | None = None  # time of the Enter; None if no entry is open

    def open(self, kind: CommandKind, text: str, at_ms: int) -> None:
        self.close()
        self._kind, self._text, self.opened_ms = kind, text[:_MAX_INPUT], at_ms

    def capture(self, data: bytes) -> None:
        """Add output to the open entry, up to the limit."""
        if self.opened_ms is None:
            return
        self._output += data[: _OUTPUT_BYTES - len(self._output)]
        if len(self._output) >= _OUTPUT_BYTES:
            self.close()

    def close(self, *, prompt: str = "") -> None:
        """Report the open entry. `prompt` is the next prompt, which is removed from the output."""
        if self.opened_ms is None:
            return
        at_ms, self.opened_ms = self.opened_ms, None
        output = plain_text(without_prompt_mark(bytes(self._output))).rstrip(" ")
        self._output.clear()
        if prompt.strip():
            output = output.removesuffix(prompt.rstrip())
        self._on_command(DetectedCommand(self._kind, self._text, output.strip("\n"), at_ms))
