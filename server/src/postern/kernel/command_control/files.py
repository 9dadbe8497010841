"""What commands read and write: known texts follow redirections into files and out of them."""

from typing import Final

from postern.kernel.command_control.expansion import Expander
from postern.kernel.command_control.limits import MAX_TEXT_CHARACTERS
from postern.kernel.command_control.marks import UNKNOWN, base_name, is_literal
from postern.kernel.command_control.simple import Parts
from postern.kernel.command_control.state import ShellState, put

_WRITES: Final = frozenset({">", ">|", "&>", ">>", "&>>", "<>"})
_MAX_TEXTS: Final = 4
#: Name in the table of files for `3<<< text`, which `<&3` reads.
_DESCRIPTOR: Final = "descriptor "
NOWHERE: Final = frozenset({"/dev/null", "/dev/stderr", "/dev/tty"})


def input_of(
    expander: Expander, parts: Parts, redirections: tuple[tuple[str, str], ...], state: ShellState, stdin: str | None
) -> str | None:
    """The text that a command reads after its redirections; None for the terminal."""
    here = list(parts.here)
    for (sign, target), (_sign, segments) in zip(redirections, parts.redirections, strict=True):
        if sign == "<<<":
            stdin = expander.text(segments) + "\n"
        elif sign in ("<<", "<<-") and here:
            document = here.pop(0)
            body = document.body or ""
            stdin = body if document.is_quoted else expander.here_text(body)
        elif sign in ("<", "<>"):
            stdin = file_text(state, target)
        elif sign == "<&" and target.isdigit() and target != "0":
            stdin = file_text(state, f"{_DESCRIPTOR}{target}")
        elif sign.endswith("<<<") and sign[0].isdigit():
            write(state, _DESCRIPTOR + sign[0], expander.text(segments) + "\n", appends=False)
    return stdin


def file_text(state: ShellState, path: str) -> str:
    """The text of a file: known when this session wrote it."""
    if path == "/dev/null":
        return ""
    texts = state.files.get(base_name(path)) if is_literal(path) else None
    return "\n".join(texts) if texts else UNKNOWN


def written_texts(state: ShellState, path: str) -> tuple[str, ...]:
    """The texts that a file written in this session may hold."""
    return state.files.get(base_name(path), ()) if is_literal(path) else ()


def write(state: ShellState, path: str, text: str, *, appends: bool) -> None:
    """Notes the text of a file. Files are known by base name: directories are not followed."""
    if not is_literal(path) or path in NOWHERE or path.startswith("/dev/std"):
        return
    name = base_name(path)
    texts = state.files.get(name, ())
    if appends and texts:
        grown = tuple(old + text for old in texts)
        put(state.files, name, tuple(new if len(new) <= MAX_TEXT_CHARACTERS else UNKNOWN for new in grown))
    elif text not in texts:
        put(state.files, name, (*texts, text)[-_MAX_TEXTS:])


def write_output(state: ShellState, redirections: tuple[tuple[str, str], ...], output: str) -> str:
    """Sends output where the redirections say. Returns what is left for the pipe."""
    left = output
    for sign, target in redirections:
        if sign in _WRITES or (sign == ">&" and not target.isdigit() and target != "-"):
            write(state, target, output, appends=">>" in sign)
            left = ""
        elif sign == ">&" and target == "2":
            left = ""
    return left
