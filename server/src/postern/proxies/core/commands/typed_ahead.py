"""Lines that were entered before their echo arrived: the user typed ahead of the shell."""

from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import Final

from postern.contracts.enums import CommandKind
from postern.proxies.core.commands.detected import Submitted, confirmed
from postern.proxies.core.commands.entry import Entry
from postern.proxies.core.commands.plain_text import plain_text

#: Maximum number of lines that may be typed ahead of their echo.
_MAX_LINES: Final = 1000
_MAX_LOOK_AHEAD: Final = 8
_LINE_BYTES: Final = 32 * 1024


class TypedAhead:
    """The lines that wait for their echo, in order. Each line that is recognised becomes an entry."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry
        self._lines: deque[Submitted] = deque()
        self._output_line = bytearray()

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def last_ms(self) -> int:
        """When the last line was entered. There must be one."""
        return self._lines[-1].at_ms

    def add(self, line: Submitted) -> bool:
        """Add a line. Returns False if too many wait."""
        if len(self._lines) >= _MAX_LINES:
            return False
        self._lines.append(line)
        return True

    def put_first(self, line: Submitted) -> None:
        """Let a line wait whose echo has not arrived, before the others."""
        self._lines.appendleft(line)

    def look(self, data: bytes) -> bytes | None:
        """Look for the echo of the lines in output. Returns the output behind the echo of the last one, or None while
        lines wait.
        """
        *whole, rest = data.split(b"\n")
        for index, part in enumerate(whole, start=1):
            self._output_line += part
            self._line_ended(plain_text(bytes(self._output_line)))
            self._output_line.clear()
            if not self._lines:
                return b"\n".join([*whole[index:], rest])
        self._output_line += rest
        del self._output_line[:-_LINE_BYTES]
        return None

    def _line_ended(self, output_line: str) -> None:
        """Match a complete line of output with the lines. Lines before the matching line got no echo."""
        for index, line in enumerate(islice(self._lines, _MAX_LOOK_AHEAD)):
            if confirmed(line.typed, output_line):
                self._without_echo([self._lines.popleft() for _ in range(index)])
                self._lines.popleft()
                self._entry.open(CommandKind.TYPED, line.typed.text or "", line.at_ms)
                return

    def give_up(self) -> None:
        """Record the lines that wait as one entry without echo."""
        self._without_echo(self._lines)
        self._lines.clear()

    def drop(self) -> None:
        """Forget the lines that wait."""
        self._lines.clear()

    def restart(self) -> None:
        """Forget the lines that wait, and the output that was read so far."""
        self.drop()
        self._output_line.clear()

    def _without_echo(self, lines: Iterable[Submitted]) -> None:
        """Record consecutive lines without echo as one entry."""
        entered = [line for line in lines if line.typed.keys]
        if entered:
            hidden = all(line.typed.text is not None for line in entered)
            self._entry.open(CommandKind.HIDDEN if hidden else CommandKind.UNKNOWN, "", entered[0].at_ms)
