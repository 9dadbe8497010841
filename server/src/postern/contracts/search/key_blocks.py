"""Hides private keys that a screen shows line by line: alone, a line of a key says nothing of what it is."""

import re
from typing import Final

from postern.contracts.search.lines import Line

_BEGIN: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|Private-Lines: \d+", re.IGNORECASE)
#: A line of base64, or of the headers of a key, perhaps after the number that an editor puts before it.
_INSIDE: Final = re.compile(r"\s*(?:\d+\s+)?(?:[A-Za-z0-9+/]+={0,2}|(?:Proc-Type|DEK-Info|Comment): .*)?\s*")
#: No key has more lines.
_MOST_LINES: Final = 400


class KeyBlocks:
    """Follows the lines of a recording in their order."""

    def __init__(self) -> None:
        self._left = 0

    def marked(self, line: Line) -> Line:
        """The line, hidden if it is inside of a private key."""
        if self._left and _INSIDE.fullmatch(line.text):
            self._left -= 1
            return line._replace(hidden=((0, len(line.text)),))
        self._left = _MOST_LINES if _BEGIN.search(line.text) else 0
        return line
