"""The line at the cursor before its Enter, as the screen shows it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StandingLine:
    """A line that has not been entered yet.

    `text` is the text after `prompt`, or the whole row if no prompt is known (`has_prompt`). In a full-screen
    program `row` is the whole row of the cursor and `is_last_row` whether it is the last one of the screen.
    `has_editor` is False if line editors announce themselves in this session and none does now: the keys wait for one.
    """

    text: str
    prompt: str = ""
    has_prompt: bool = False
    is_alternate: bool = False
    row: str = ""
    is_last_row: bool = False
    has_editor: bool = True
