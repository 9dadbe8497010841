"""Commands that replace a file by another program: copies and links of programs, and downloads."""

import itertools
from collections.abc import Callable
from typing import Final

from postern.kernel.command_control.files import NOWHERE, write, written_texts
from postern.kernel.command_control.machine import Run
from postern.kernel.command_control.marks import UNKNOWN, base_name, is_literal
from postern.kernel.command_control.state import put

_MAX_SOURCES: Final = 4


def note(run: Run, name: str) -> None:
    """Notes in the state what the command copies, links or downloads."""
    follow = _TRANSFERS.get(name)
    if follow is not None:
        follow(run)


def _linked(run: Run, source: str, target: str) -> None:
    """`target` may now be `source`. Directories are not followed: names decide."""
    new, old = base_name(target), base_name(source)
    if new == old or not new or not is_literal(new) or target in NOWHERE:
        return
    for text in written_texts(run.state, source):
        write(run.state, target, text, appends=False)
    known = run.state.copies.get(new, ())
    if old not in known:
        put(run.state.copies, new, (*known, old)[-_MAX_SOURCES:])


def _copy(run: Run) -> None:
    operands: list[str] = []
    target = None
    waits = ""
    for word in run.words[1:]:
        if waits == "target":
            target = word
            waits = ""
        elif waits:
            waits = ""
        elif word in ("-t", "--target-directory"):
            waits = "target"
        elif word in ("-m", "-o", "-g", "-S", "--mode", "--owner", "--group", "-e", "--rsh") and run.words[0] != "cp":
            waits = "value"
        elif not word.startswith("-"):
            operands.append(word)
    if target is None and len(operands) > 1:
        target = operands.pop()
    if target is None or len(operands) != 1:
        return
    _linked(run, operands[0], target)


def _dd(run: Run) -> None:
    named = dict(word.partition("=")[::2] for word in run.words[1:] if "=" in word)
    if "if" in named and "of" in named:
        _linked(run, named["if"], named["of"])
    _cat(run)


def _cat(run: Run) -> None:
    sources = [word.removeprefix("if=") for word in run.words[1:] if not word.startswith(("-", "of="))]
    sources += [target for sign, target in run.redirections if sign == "<"]
    for sign, target in run.redirections:
        if sign in (">", ">|") and len(sources) == 1:
            _linked(run, sources[0], target)


def _download(run: Run) -> None:
    words = run.words[1:]
    for flag, value in itertools.pairwise(words):
        if flag in ("-o", "--output", "-O", "--output-document") and is_literal(value) and value != "-":
            write(run.state, value, UNKNOWN, appends=False)
    if ("-O" in words and run.words[0] == "curl") or run.words[0] == "wget":
        for word in words:
            if "://" in word and is_literal(word):
                write(run.state, word.split("?")[0], UNKNOWN, appends=False)


_TRANSFERS: Final[dict[str, Callable[[Run], None]]] = {
    "cp": _copy, "mv": _copy, "ln": _copy, "install": _copy, "rsync": _copy, "scp": _copy, "link": _copy, "dd": _dd,
    "cat": _cat, "curl": _download, "wget": _download, "gcp": _copy, "ditto": _copy,
}  # fmt: skip
