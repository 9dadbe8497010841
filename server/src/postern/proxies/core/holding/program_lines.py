"""Lines that a shell without a terminal reads from its input: each is judged before the shell gets it."""

from typing import Final

from postern.contracts.command_control import CommandAction
from postern.proxies.core.holding.filters import Filters
from postern.proxies.core.holding.rulings import HeldLine, LineJudge, Ruling

#: A longer line is judged in pieces, and both the piece and the rest count as lines.
_MAX_LINE: Final = 64 * 1024


class ProgramLines:
    """The input of one shell."""

    def __init__(self, filters: Filters) -> None:
        self.judge = LineJudge(filters)
        self._rest = b""

    @property
    def waiting(self) -> int:
        """Number of bytes of a line that has not ended."""
        return len(self._rest)

    def feed(self, data: bytes, *, is_end: bool = False) -> tuple[bytes, Ruling | None]:
        """Return the input to forward, and the first line that is refused. Nothing may be forwarded after that."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if self._rest and (is_end or len(self._rest) > _MAX_LINE):
            lines.append(self._rest)
            self._rest = b""
            end = b""
        else:
            end = b"\n"
        onward = bytearray()
        for number, line in enumerate(lines, start=1):
            ruling = self.judge.line(HeldLine(line.decode("utf-8", "replace"), None, is_public=True))
            if ruling.action is not CommandAction.ALLOW:
                return bytes(onward), ruling
            self.judge.release(ruling)
            onward += line + (b"\n" if number < len(lines) else end)
        return bytes(onward), None
