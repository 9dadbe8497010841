"""How much work one line may cause. Everything is counted: a verdict must not depend on how busy the machine is."""

from typing import Final

#: Longest line, open text of earlier lines included. Shells accept more, people do not type it.
MAX_LINE_CHARACTERS: Final = 16 * 1024
#: Commands of one line, each turn of a loop included.
MAX_COMMANDS: Final = 400
#: Code in code: substitutions, nested shells, groups, functions.
MAX_DEPTH: Final = 16
#: Words that the braces of one word may become.
MAX_BRACE_WORDS: Final = 64
#: Words that `xargs` adds.
MAX_XARGS_ITEMS: Final = 200
#: Characters of a value that is computed (`printf`, doubling of a variable).
MAX_TEXT_CHARACTERS: Final = 16 * 1024
#: Sum of all characters scanned and words handled for one line; an ordinary line takes some hundred.
MAX_STEPS: Final = 200_000
#: Entries of each table of a session (variables, aliases, files); the oldest is forgotten first.
MAX_ENTRIES: Final = 256
#: Lines of history that are retained for `!…`.
MAX_HISTORY_LINES: Final = 200


class TooMuch(Exception):
    """More steps than `MAX_STEPS`. Never leaves the package: the line becomes unresolved."""


class Meter:
    """Counts the steps of one line."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0

    def spend(self, steps: int) -> None:
        """Counts steps before the work is done. Raises `TooMuch` beyond the limit."""
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise TooMuch
