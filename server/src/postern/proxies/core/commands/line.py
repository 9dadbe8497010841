"""Reads the edited line from the emulated screen: the text between the end of the prompt and the end of the line."""

from dataclasses import dataclass

from postern.contracts.vt import Screen


@dataclass(frozen=True)
class Prompt:
    """The text around the cursor when editing began. `known` is False if the prompt had not been drawn yet."""

    text: str
    column: int
    right: str = ""
    right_column: int = 0
    known: bool = True


UNKNOWN_PROMPT = Prompt("", 0, known=False)


def prompt_at_cursor(screen: Screen) -> Prompt:
    """Return the prompt that ends at the cursor, with the right-hand prompt if there is one."""
    x, y = screen.cursor
    x = min(x, screen.columns)
    behind = screen.text(y, x)
    right = behind.strip()
    return Prompt(screen.text(y, 0, x), x, right, x + len(behind) - len(behind.lstrip()) if right else 0)


def read_line(screen: Screen, prompt: Prompt, last_y: int) -> str | None:
    """Return the edited line whose last row is `last_y` or its wrapped continuation. None if the prompt is not on the
    screen.
    """
    last_y = max(0, min(last_y, screen.rows - 1))
    while last_y + 1 < screen.rows and screen.wrapped(last_y + 1):
        last_y += 1
    first_y = _find_prompt(screen, prompt, last_y)
    if first_y is None:
        return None
    parts = [_first_row(screen, prompt, first_y)]
    for y in range(first_y + 1, last_y + 1):
        wide = screen.starts_wide(y)
        if not (wide or screen.wrapped(y) or screen.full(y - 1)):
            parts[-1] = parts[-1].rstrip()
            parts.append("\n")
        elif wide and _ends_in_filling(screen, y - 1):
            parts[-1] = parts[-1][:-1]
        parts.append(screen.typed_text(y))
    return "".join(parts).rstrip()


def _ends_in_filling(screen: Screen, y: int) -> bool:
    """Whether the last blank of row `y` only fills the cell in which a wide character did not fit.

    Editors often print that blank themselves, so this is a heuristic: a typed blank follows a narrow character more
    often than a wide character or another blank.
    """
    end = screen.columns
    if screen.full(y) or end < 3:
        return False
    return screen.text(y, end - 2, end - 1) in ("", " ")


def _find_prompt(screen: Screen, prompt: Prompt, last_y: int) -> int | None:
    """Return the nearest row above the line's end that shows the prompt. It moves when the screen scrolls or a list is
    printed.
    """
    for y in range(last_y, -1, -1):
        # A shell may draw its prompt on a row that earlier output has wrapped onto.
        may_start = bool(prompt.text.strip()) or not screen.wrapped(y)
        if may_start and screen.text(y, 0, prompt.column) == prompt.text:
            return y
    return None


def _first_row(screen: Screen, prompt: Prompt, y: int) -> str:
    if prompt.right and screen.text(y, prompt.right_column).rstrip() == prompt.right:
        return screen.typed_text(y, prompt.column, prompt.right_column)
    return screen.typed_text(y, prompt.column)
