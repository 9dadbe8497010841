"""The result of command detection, and the rules that turn a line into an entry."""

from dataclasses import dataclass
from typing import Final

from postern.contracts.enums import CommandKind
from postern.proxies.core.commands.keys import TypedLine
from postern.proxies.core.commands.plain_text import squeezed

#: A line at least this long that differs from its keys by at most this many characters was drawn wrongly. The shell did
#: not change it.
_LONG_LINE: Final = 20
_STRAY_CHARACTERS: Final = 3


@dataclass(frozen=True)
class DetectedCommand:
    """One command line that the user entered.

    `input` is the line, empty for HIDDEN. `output` is the beginning of the resulting output as plain text. `offset_ms`
    is the time of the Enter on the clock that the caller passes to the detector.
    """

    kind: CommandKind
    input: str
    output: str
    offset_ms: int


@dataclass
class Submitted:
    """A line after its Enter, with what is known about its echo."""

    typed: TypedLine
    at_ms: int
    echoed: bool  # output arrived between the line's first key and its Enter
    prompt_known: bool


def judge(line: Submitted, screen_line: str | None) -> tuple[CommandKind, str] | None:
    """Return the kind and text of the entry, or None if nothing was entered. `screen_line` is the line on the screen.

    The text comes from the screen, or from the keys if the screen shows the same text. Keys that were not echoed are
    never returned.
    """
    typed = line.typed.text
    if line.typed.keys == 0:
        return None
    if screen_line is None:
        return CommandKind.UNKNOWN, ""
    if not screen_line.strip():
        hidden = line.typed.characters > 0 and not line.echoed
        return (CommandKind.HIDDEN, "") if hidden else None
    if typed is None:
        return CommandKind.ECHO if line.prompt_known else CommandKind.UNKNOWN, screen_line
    if squeezed(typed) == squeezed(screen_line):
        # the keys record leading and trailing blanks more exactly than the screen
        return CommandKind.ECHO, typed.rstrip()
    wanted = squeezed(typed)
    if not line.echoed and wanted not in squeezed(screen_line):
        # The text on this row arrived after the Enter: a program hid the keys and printed its answer on the same row.
        return (CommandKind.HIDDEN, "") if line.typed.characters else None
    if not line.prompt_known and wanted and squeezed(screen_line).endswith(wanted):
        return CommandKind.TYPED, typed
    disturbed = ("\n" in screen_line and "\n" not in typed) or _nearly_same_length(wanted, squeezed(screen_line))
    if line.echoed and wanted and disturbed and _scattered(wanted, screen_line):
        # Other output was printed into the line during editing, or the editor misjudged the column of the prompt.
        return CommandKind.TYPED, typed
    return CommandKind.ECHO if line.prompt_known else CommandKind.UNKNOWN, screen_line


def confirmed(typed: TypedLine, output_line: str) -> bool:
    """Whether this line of output ends with the echo of a line that was typed ahead."""
    wanted = squeezed(typed.text or "")
    return bool(wanted) and squeezed(output_line).endswith(wanted)


def _nearly_same_length(wanted: str, screen_line: str) -> bool:
    return len(wanted) >= _LONG_LINE and len(screen_line) - len(wanted) <= _STRAY_CHARACTERS


def _scattered(wanted: str, screen_line: str) -> bool:
    """Whether all characters of `wanted` occur in `screen_line` in the same order."""
    rest = iter(screen_line)
    return all(character in rest for character in wanted)
