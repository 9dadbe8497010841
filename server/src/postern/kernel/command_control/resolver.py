"""From a line as typed to the commands that it would run.

The result is complete as far as the session shows: values that the host alone knows, programs that it alone holds and
scripts written elsewhere are not followed. What cannot be known is listed in `unresolved`.
"""

from dataclasses import dataclass

from postern.kernel.command_control.history import expanded
from postern.kernel.command_control.limits import MAX_LINE_CHARACTERS, Meter, TooMuch
from postern.kernel.command_control.marks import cleaned
from postern.kernel.command_control.runner import Runner
from postern.kernel.command_control.state import ShellState
from postern.kernel.command_control.verdict import Command, Reason, Unresolved


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a line runs in one shell."""

    #: The line after history expansion, with the open text of earlier lines.
    line: str
    commands: tuple[Command, ...]
    #: Pipelines and lists as one text each, for regular expressions over several commands.
    texts: tuple[str, ...]
    unresolved: tuple[Unresolved, ...]
    #: Whether the shell waits for more: an open quote, a here-document, a loop.
    is_open: bool
    #: Whether each interactive shell that the line starts is one of this host and user.
    started_shells: tuple[bool, ...]
    left_shell: bool
    steps: int


def resolve(line: str, state: ShellState) -> Resolution:
    """Resolves a line and changes `state` to what it is after the line ran. Never raises."""
    meter = Meter()
    runner = Runner(meter)
    text = cleaned(line).rstrip("\r\n")
    is_open = False
    try:
        history = expanded(text, state.history, meter)
        if not history.is_known:
            runner.note(Reason.UNKNOWN_HISTORY)
        text = _joined(state.open_text, history.text)
        if len(text) > MAX_LINE_CHARACTERS:
            runner.note(Reason.TOO_LONG)
            text = text[:MAX_LINE_CHARACTERS]
        is_open = runner.run_top(text, state)
    except (TooMuch, RecursionError):
        runner.muted = 0
        runner.note(Reason.TOO_MANY_STEPS)
    state.open_text = text if is_open else ""
    if not is_open:
        state.remember(text)
    return Resolution(
        text, tuple(runner.commands), tuple(runner.texts), tuple(runner.unresolved), is_open,
        tuple(runner.started), runner.left, meter.steps,
    )  # fmt: skip


def _joined(open_text: str, text: str) -> str:
    return f"{open_text}\n{text}" if open_text else text
