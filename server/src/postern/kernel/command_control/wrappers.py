"""Programs that run the command in their arguments: `sudo`, `env`, `xargs`, `find -exec`, `ssh`, `docker exec`.

A table says which options take a value and how many words precede the command. The wrapper and the inner command
are both judged.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Final

from postern.kernel.command_control.builtins import code_variable
from postern.kernel.command_control.limits import MAX_XARGS_ITEMS
from postern.kernel.command_control.machine import Machine, Run
from postern.kernel.command_control.marks import UNKNOWN, base_name
from postern.kernel.command_control.patterns import activated
from postern.kernel.command_control.state import put
from postern.kernel.command_control.verdict import Reason
from postern.kernel.command_control.wrapper_table import WRAPPERS, Wrapper

_VARIABLE: Final = re.compile(r"[A-Za-z_]\w*=")


_LOADER: Final = re.compile(r"ld-(linux|musl|2\.)[\w.-]*\Z|ld\.so\Z")
#: What these print is what their command prints.
TRANSPARENT: Final = frozenset(
    {
        "sudo",
        "doas",
        "env",
        "nice",
        "nohup",
        "timeout",
        "time",
        "exec",
        "command",
        "builtin",
        "stdbuf",
        "busybox",
        "setsid",
        "ionice",
    }
)
_SEPARATE: Final = frozenset({"xargs", "gxargs", "find", "gfind", "fd", "fdfind", "parallel"})
NAMES: Final = (*WRAPPERS, *_SEPARATE)
#: `sudo -i`, `docker exec -it`: started without a command these give a shell.
_GIVES_SHELL: Final = frozenset(
    {"sudo", "doas", "run0", "chroot", "unshare", "nsenter", "lxc-attach", "runuser", "firejail"}
)


def inner_commands(machine: Machine, run: Run, name: str) -> Iterator[Run]:
    """The commands that a wrapper runs."""
    follow = _FOLLOWED.get(name)
    if follow is not None:
        yield from follow(machine, run)
        return
    wrapper = _wrapper_of(run, name)
    if wrapper is None:
        return
    words, assigned = _stripped(machine, run, wrapper)
    if name == "env":
        words = _split_string(run, words)
    if words:
        if name in ("sudo", "doas", "env") or assigned:
            state = run.state if not assigned else run.state.copy()
            for variable, value in assigned:
                put(state.variables, variable, (value,))
                state.exported |= {variable}
                code_variable(machine, run, variable, value)
            yield Run(words, state, run.stdin, (), run.is_uncertain)
            return
        yield Run(words, run.state, run.stdin, (), run.is_uncertain)
    elif name in _GIVES_SHELL:
        if run.stdin is not None:
            yield Run(["sh"], run.state, run.stdin, (), run.is_uncertain)
        else:
            machine.nested_shell(is_local=False)


def _wrapper_of(run: Run, name: str) -> Wrapper | None:
    if name == "command" and {"-v", "-V"} & set(run.words[1:2]):  # asks for a path, runs nothing
        return None
    if name == "setarch" and run.words[1:2] and run.words[1].startswith("-"):
        return Wrapper()  # the architecture may be left out
    if _LOADER.match(name):
        return Wrapper("", ("library-path", "preload", "argv0", "inhibit-rpath"))
    return WRAPPERS.get(name)


def _stripped(machine: Machine, run: Run, wrapper: Wrapper) -> tuple[list[str], list[tuple[str, str]]]:
    """The words of the command, and the assignments before it."""
    words = run.words[1:]
    machine.meter.spend(len(words))
    if wrapper.behind:
        place_behind = next((place for place, word in enumerate(words) if word in wrapper.behind), None)
        return ([] if place_behind is None else words[place_behind + 1 :]), []
    assigned: list[tuple[str, str]] = []
    skipped: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            at += 1
            if len(skipped) >= wrapper.before or wrapper.verbs:
                return (words[at:] if _has_verb(wrapper, skipped) else []), assigned
        elif word.startswith("-") and len(word) > 1:
            at += 1 + _takes_next(word, wrapper)
        elif wrapper.assigns and _VARIABLE.match(word):
            variable, _sign, value = word.partition("=")
            assigned.append((variable, value))
            at += 1
        elif len(skipped) < wrapper.before:
            skipped.append(word)
            at += 1
            if word in ("container", "compose") and wrapper.verbs:
                skipped.pop()
        else:
            break
    return (words[at:] if _has_verb(wrapper, skipped) else []), assigned


def _has_verb(wrapper: Wrapper, skipped: list[str]) -> bool:
    return not wrapper.verbs or bool(set(skipped[:2]) & set(wrapper.verbs))


def _takes_next(word: str, wrapper: Wrapper) -> int:
    if word.startswith("--"):
        return int("=" not in word and any(long.startswith(word[2:]) for long in wrapper.long))
    for place, letter in enumerate(word[1:], start=2):
        if letter in wrapper.values:
            return int(place == len(word))
    return 0


def _split_string(run: Run, words: list[str]) -> list[str]:
    """`env -S 'command with arguments'`."""
    for place, word in enumerate(run.words[1:], start=1):
        if word in ("-S", "--split-string") and place + 1 < len(run.words):
            return run.words[place + 1].split() + run.words[place + 2 :]
        if re.fullmatch(r"-[a-z0]+S", word) and place + 1 < len(run.words):
            return run.words[place + 1].split() + run.words[place + 2 :]
        for start in ("-S", "-vS", "--split-string="):
            if word.startswith(start) and len(word) > len(start):
                return word[len(start) :].split() + run.words[place + 1 :]
        if not word.startswith("-"):
            break
    return words


def _xargs(machine: Machine, run: Run) -> Iterator[Run]:
    words, at = run.words[1:], 0
    replace, separator = "", None
    takes = Wrapper(
        "aEeIiLlnPsd", ("arg-file", "delimiter", "max-args", "max-lines", "max-procs", "max-chars", "replace", "eof")
    )
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        word = words[at]
        value = words[at + 1] if at + 1 < len(words) else ""
        if word in ("-i", "-e", "-l", "--replace"):  # an optional value is in the same word
            replace = "{}" if word in ("-i", "--replace") else replace
            at += 1
            continue
        if word.startswith(("-I", "--replace=")):
            replace = word.removeprefix("--replace=").removeprefix("-I") or value
        if word.startswith(("-d", "--delimiter")):
            separator = word.removeprefix("--delimiter=").removeprefix("-d") or value
        at += 1 + _takes_next(word, takes)
    command = words[at + 1 :] if words[at : at + 1] == ["--"] else words[at:]
    items = _items(machine, run.stdin, separator, by_line=bool(replace))
    if not command:
        command = ["echo"]
    if replace:
        for item in items[:MAX_XARGS_ITEMS]:
            yield Run([word.replace(replace, item) for word in command], run.state, "", (), run.is_uncertain)
        return
    yield Run([*command, *items], run.state, "", (), run.is_uncertain)
    if len(items) > 1 and _is_wrapper(command):  # `xargs -n1`: each item may be a command of its own
        for item in items:
            yield Run([*command, item], run.state, "", (), run.is_uncertain)


def _is_wrapper(command: list[str]) -> bool:
    return base_name(command[-1]) in WRAPPERS or command[-1] == "-c"


def _items(machine: Machine, stdin: str | None, separator: str | None, *, by_line: bool) -> list[str]:
    if stdin is None or stdin.strip() == UNKNOWN:
        return [UNKNOWN]
    if separator is not None:
        mark = {"\\n": "\n", "\\t": "\t", "\\0": "\0"}.get(separator, separator)
        items = [item for item in stdin.removesuffix("\n").split(mark or "\n") if item]
    elif by_line:
        items = [re.sub(r"['\"\\]", "", line).strip() for line in stdin.split("\n") if line.strip()]
    else:
        items = [re.sub(r"['\"\\]", "", item) for item in stdin.split()]
    if len(items) > MAX_XARGS_ITEMS:
        machine.note(Reason.TOO_MANY_WORDS)
    return items[:MAX_XARGS_ITEMS]


def _find(_machine: Machine, run: Run) -> Iterator[Run]:
    words = run.words
    for place, word in enumerate(words):
        if word in ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"):
            end = place + 1
            while end < len(words) and words[end] != ";" and not (words[end] == "+" and words[end - 1] == "{}"):
                end += 1
            command = [UNKNOWN if part == "{}" else part.replace("{}", UNKNOWN) for part in words[place + 1 : end]]
            if command == [UNKNOWN]:
                command = [_found_name(words)]
            elif command and command[0] == UNKNOWN:
                command[0] = _found_name(words)
            if command:
                yield Run(command, run.state, None, (), run.is_uncertain)


def _found_name(words: list[str]) -> str:
    """The expansion of `{}` in `find … -name x -exec {} …`."""
    for flag, name in itertools.pairwise(words):
        if flag in ("-name", "-iname"):
            return f"/{UNKNOWN}/{activated(name)}"
    return words[1] if len(words) > 1 and not words[1].startswith("-") else UNKNOWN


def _parallel(machine: Machine, run: Run) -> Iterator[Run]:
    words, _assigned = _stripped(
        machine, run, Wrapper("jNnLPSaId", ("jobs", "max-args", "sshlogin", "colsep", "delay", "joblog"))
    )
    places = [place for place, word in enumerate(words) if word in (":::", ":::+", "::::")]
    command = words[: places[0]] if places else words
    values = [word for word in words[places[0] :] if not word.startswith(":::")] if places else []
    if not places:
        values = _items(machine, run.stdin, "\n", by_line=True)
    for value in values[:MAX_XARGS_ITEMS] or [UNKNOWN]:
        if not command:
            filled = value.split()
        elif any("{}" in word for word in command):
            filled = [word.replace("{}", value) for word in command]
        else:
            filled = [*command, value]
        yield Run(["sh", "-c", " ".join(filled)], run.state, None, (), run.is_uncertain)


_FOLLOWED: Final[dict[str, Callable[[Machine, Run], Iterator[Run]]]] = {
    "xargs": _xargs, "gxargs": _xargs, "find": _find, "gfind": _find, "fd": _find, "fdfind": _find, "parallel": _parallel,
}  # fmt: skip
