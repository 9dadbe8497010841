"""What the detector hands over, and how a line becomes an entry."""

from dataclasses import dataclass
from typing import Final

from postern.contracts.enums import CommandKind
from postern.proxies.core.commands.keys import TypedLine
from postern.proxies.core.commands.plain_text import squeezed

#: A line of this length that differs from its keys by this much was drawn wrongly, not changed by the shell.
_LONG_LINE: Final = 20
_STRAY_CHARACTERS: Final = 3


@dataclass(frozen=True)
class DetectedCommand:
    """One line that was given to a program.

    `input` is the line ("" for HIDDEN), `output` the beginning of what came back as plain text, `offset_ms` the time
    of the Enter in the clock that the detector was fed with.
    """

    kind: CommandKind
    input: str
    output: str
    offset_ms: int


@dataclass
class Submitted:
    """A line whose Enter has been pressed, and what is known of its echo."""

    typed: TypedLine
    at_ms: int
    echoed: bool  # something showed on the screen between its first key and its Enter
    prompt_known: bool


def judge(line: Submitted, shown: str | None) -> tuple[CommandKind, str] | None:
    """Kind and text of the entry, or None if nothing was entered. `shown` is the line on the screen.

    The text comes from the screen, or from keys whose text the screen shows as well: hidden keys never get out.
    """
    typed = line.typed.text
    if line.typed.keys == 0:
        return None
    if shown is None:
        return CommandKind.UNKNOWN, ""
    if not shown.strip():
        hidden = line.typed.characters > 0 and not line.echoed
        return (CommandKind.HIDDEN, "") if hidden else None
    if typed is None:
        return CommandKind.ECHO if line.prompt_known else CommandKind.UNKNOWN, shown
    if squeezed(typed) == squeezed(shown):
        return CommandKind.ECHO, typed.rstrip()  # the keys know blanks at a margin better than the screen
    wanted = squeezed(typed)
    if not line.echoed and wanted not in squeezed(shown):
        # What stands there came after the Enter: a program that hides the keys and answers on the same row.
        return (CommandKind.HIDDEN, "") if line.typed.characters else None
    if not line.prompt_known and wanted and squeezed(shown).endswith(wanted):
        return CommandKind.TYPED, typed
    disturbed = ("\n" in shown and "\n" not in typed) or _nearly_same_length(wanted, squeezed(shown))
    if line.echoed and wanted and disturbed and _scattered(wanted, shown):
        # Something else wrote into the line while it was edited, or the editor mistook the prompt's column.
        return CommandKind.TYPED, typed
    return CommandKind.ECHO if line.prompt_known else CommandKind.UNKNOWN, shown


def confirmed(typed: TypedLine, output_line: str) -> bool:
    """The echo of a line that was typed ahead ends this line of output."""
    wanted = squeezed(typed.text or "")
    return bool(wanted) and squeezed(output_line).endswith(wanted)


def _nearly_same_length(wanted: str, shown: str) -> bool:
    return len(wanted) >= _LONG_LINE and len(shown) - len(wanted) <= _STRAY_CHARACTERS


def _scattered(wanted: str, shown: str) -> bool:
    """All characters of `wanted` occur in `shown` in this order."""
    rest = iter(shown)
    return all(character in rest for character in wanted)
