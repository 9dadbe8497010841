"""The entry that is being written: a line that was entered, and the beginning of what came back."""

from collections.abc import Callable
from typing import Final

from postern.contracts.enums import CommandKind
from postern.proxies.core.commands.detected import DetectedCommand
from postern.proxies.core.commands.plain_text import plain_text, without_prompt_mark

_OUTPUT_BYTES: Final = 4096
_MAX_INPUT: Final = 16 * 1024


class Entry:
    """At most one is open; opening another hands it over."""

    def __init__(self, on_command: Callable[[DetectedCommand], None]) -> None:
        self._on_command = on_command
        self._kind = CommandKind.UNKNOWN
        self._text = ""
        self._output = bytearray()
        self.opened_ms: int | None = None  # time of its Enter; None: no entry is open

    def open(self, kind: CommandKind, text: str, at_ms: int) -> None:
        self.close()
        self._kind, self._text, self.opened_ms = kind, text[:_MAX_INPUT], at_ms

    def capture(self, data: bytes) -> None:
        """Keep output, up to the limit."""
        if self.opened_ms is None:
            return
        self._output += data[: _OUTPUT_BYTES - len(self._output)]
        if len(self._output) >= _OUTPUT_BYTES:
            self.close()

    def close(self, *, prompt: str = "") -> None:
        """Hand the entry over. `prompt` is the next prompt, which is no output."""
        if self.opened_ms is None:
            return
        at_ms, self.opened_ms = self.opened_ms, None
        output = plain_text(without_prompt_mark(bytes(self._output))).rstrip(" ")
        self._output.clear()
        if prompt.strip():
            output = output.removesuffix(prompt.rstrip())
        self._on_command(DetectedCommand(self._kind, self._text, output.strip("\n"), at_ms))
