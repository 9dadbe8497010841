"""Commands of the shell itself that change what later words mean."""

import re
from collections.abc import Callable
from typing import Final

from postern.kernel.command_control.files import file_text, written_texts
from postern.kernel.command_control.machine import Machine, Run
from postern.kernel.command_control.marks import UNKNOWN, base_name, is_literal
from postern.kernel.command_control.producers import formatted
from postern.kernel.command_control.state import put
from postern.kernel.command_control.verdict import Reason

#: Values that some program runs as a command later.
CODE_VARIABLES: Final = frozenset(
    {
        "PROMPT_COMMAND", "PAGER", "MANPAGER", "GIT_PAGER", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_EDITOR", "EDITOR", "VISUAL",
        "SUDO_EDITOR", "SUDO_ASKPASS", "SSH_ASKPASS", "BROWSER", "LESSOPEN", "LESSCLOSE", "SYSTEMD_PAGER", "SYSTEMD_EDITOR",
        "KUBE_EDITOR", "FCEDIT", "GIT_EXTERNAL_DIFF", "GIT_SEQUENCE_EDITOR", "GIT_PROXY_COMMAND", "RSYNC_RSH", "CVS_RSH",
        "TAR_OPTIONS", "PERLDOC_PAGER", "PSQL_PAGER", "DELTA_PAGER", "BAT_PAGER", "MAILCHECK",
    }
)  # fmt: skip
SUBSTITUTED_VARIABLES: Final = frozenset({"PS0", "PS1", "PS2", "PS4", "PROMPT", "RPROMPT", "ENV", "BASH_ENV"})
_ASSIGNED: Final = re.compile(r"([A-Za-z_]\w*)(\+?)=(.*)\Z", re.DOTALL)

Builtin = Callable[[Machine, Run], str | None]


def code_variable(machine: Machine, run: Run, name: str, value: str) -> None:
    """A value that will be run, or that is expanded again each time it is shown."""
    if not value or not is_literal(value):
        return
    if name in CODE_VARIABLES:
        machine.run_child(value.removeprefix("|"), run.state)
    elif name in ("ENV", "BASH_ENV") and written_texts(run.state, value):
        for text in written_texts(run.state, value):
            machine.run_child(text, run.state)
    elif name in SUBSTITUTED_VARIABLES and ("$(" in value or "`" in value):
        machine.run_child(f'echo "{value}"', run.state)


def set_variable(run: Run, name: str, value: str) -> None:
    run.state.assign(name, (value,), is_uncertain=run.is_uncertain)


def _alias(machine: Machine, run: Run) -> str:
    table = run.state.aliases
    arguments = run.words[1:]
    while arguments and arguments[0].startswith("-"):
        if "g" in arguments[0]:
            table = run.state.global_aliases
        if "s" in arguments[0]:  # zsh: a program for files with that ending, judged as if it ran now
            for argument in arguments[1:]:
                machine.run_child(argument.partition("=")[2], run.state)
            return ""
        arguments = arguments[1:]
    machine.meter.spend(len(arguments))
    if len(arguments) > 1 and "=" not in arguments[0]:  # fish: `alias name 'command'`
        put(table, arguments[0], " ".join(arguments[1:]))
        return ""
    for argument in arguments:
        name, sign, value = argument.partition("=")
        if sign and is_literal(name):
            old = table.get(name, value)
            # One that may not have been set: both texts are run.
            put(table, name, f"{old}\n{value}" if run.is_uncertain and old != value else value)
    return ""


def _unalias(_machine: Machine, run: Run) -> str:
    if run.is_uncertain:
        return ""
    for table in (run.state.aliases, run.state.global_aliases):
        if "-a" in run.words[1:]:
            table.clear()
        for name in run.words[1:]:
            table.pop(name, None)
    return ""


def _declare(machine: Machine, run: Run) -> str:
    letters = "".join(word[1:] for word in run.words[1:] if word.startswith("-") and not word.startswith("--"))
    is_export = run.words[0] == "export" or "x" in letters
    is_readonly = run.words[0] == "readonly" or ("r" in letters and run.words[0] != "export")
    for word in run.words[1:]:
        if word.startswith("-"):
            continue
        match = _ASSIGNED.match(word)
        name = match[1] if match else word
        if match:
            _declare_value(run, name, match[3], letters, appends=bool(match[2]))
            code_variable(machine, run, name, match[3])
        elif is_export and name in run.state.variables:
            code_variable(machine, run, name, run.state.variables[name][0] if run.state.variables[name] else "")
        if is_export and is_literal(name):
            run.state.exported |= {name}
        if is_readonly and is_literal(name):
            run.state.readonly |= {name}
    return ""


def _declare_value(run: Run, name: str, value: str, letters: str, *, appends: bool) -> None:
    if value.startswith("(") and name not in run.state.readonly:
        put(run.state.variables, name, tuple(value[1:].removesuffix(")").split()))
        return
    if "n" in letters:
        target = run.state.variables.get(value)
        value = target[0] if target else UNKNOWN
    value = value.lower() if "l" in letters else value.upper() if "u" in letters else value
    if appends:
        value = (run.state.variables.get(name) or ("",))[0] + value
    set_variable(run, name, value)


def _set(_machine: Machine, run: Run) -> str:
    arguments = run.words[1:]
    if "--" in arguments:
        run.state.positional = tuple(arguments[arguments.index("--") + 1 :])
        return ""
    rest = [word for word in arguments if not word.startswith(("-", "+"))]
    if rest:
        run.state.positional = tuple(rest)
    if len(rest) > 1 and rest[0].isidentifier():  # fish: `set name value`
        # Other shells set `$1`, `$2`: both meanings count.
        run.state.assign(rest[0], (" ".join(rest[1:]),), is_uncertain=True)
    return ""


def _shift(_machine: Machine, run: Run) -> str:
    count = run.words[1] if len(run.words) > 1 else "1"
    if not run.is_uncertain:
        run.state.positional = run.state.positional[int(count[:4]) if count.isdigit() else 1 :]
    return ""


def _unset(_machine: Machine, run: Run) -> str:
    for name in run.words[1:]:
        if not run.is_uncertain and name not in run.state.readonly:
            if "-f" not in run.words:
                run.state.variables.pop(name, None)
            if "-v" not in run.words:
                run.state.functions.pop(name, None)
    return ""


def _read(_machine: Machine, run: Run) -> str:
    names: list[str] = []
    skips = array = False
    for word in run.words[1:]:
        if skips:
            skips = False
            names += [word] if array else []
        elif word.startswith("-"):
            array = word[-1] in "aA"
            skips = word[-1] in "pdntNuia"
        else:
            names.append(word)
    line = UNKNOWN if run.stdin is None else run.stdin.split("\n", 1)[0]
    pieces = line.split(None, max(len(names) - 1, 0)) if names else [line]
    if array:
        put(run.state.variables, names[0] if names else "REPLY", tuple(line.split()))
        return ""
    for place, name in enumerate(names or ["REPLY"]):
        value = pieces[place] if place < len(pieces) else UNKNOWN if UNKNOWN in line else ""
        run.state.assign(name, (value.strip(),), is_uncertain=run.is_fed)
    return ""


def _mapfile(_machine: Machine, run: Run) -> str:
    name = run.words[-1] if len(run.words) > 1 and not run.words[-1].startswith("-") else "MAPFILE"
    put(run.state.variables, name, (UNKNOWN,) if run.stdin is None else tuple(run.stdin.split("\n")))
    return ""


def _eval(machine: Machine, run: Run) -> str:
    code = " ".join(run.words[1:]).removeprefix("-- ")
    if UNKNOWN in code:
        machine.note(Reason.UNKNOWN_CODE)
    return machine.run_code(code, run.state, run.stdin)


def _source(machine: Machine, run: Run) -> str | None:
    arguments = [word for word in run.words[1:] if word != "--"]
    if not arguments:
        return ""
    path = arguments[0]
    if path in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-") and run.stdin is not None:
        texts: tuple[str, ...] = (run.stdin,)
    else:
        texts = written_texts(run.state, path)
    positional = run.state.positional
    if arguments[1:]:
        run.state.positional = tuple(arguments[1:])
    for text in texts:
        if text.strip() == UNKNOWN:
            machine.note(Reason.UNKNOWN_CODE)
        else:
            machine.run_code(text, run.state, None)
    run.state.positional = positional
    return UNKNOWN


def _trap(machine: Machine, run: Run) -> str:
    arguments = [word for word in run.words[1:] if word not in ("--", "-p", "-l")]
    if len(arguments) > 1 and arguments[0] not in ("-", ""):
        machine.run_code(arguments[0], run.state.copy())
    return ""


def _hash(_machine: Machine, run: Run) -> str:
    if "-p" in run.words[1:-2]:
        at = run.words.index("-p")
        put(run.state.copies, run.words[at + 2], (base_name(run.words[at + 1]),))
    for word in run.words[1:]:  # zsh: `hash name=/path`
        name, sign, path = word.partition("=")
        if sign and not word.startswith("-"):
            put(run.state.copies, name, (base_name(path),))
    return ""


def _exit(machine: Machine, run: Run) -> str:
    if not run.is_uncertain:
        machine.left_shell()
    return ""


def _printf(_machine: Machine, run: Run) -> str | None:
    if len(run.words) > 3 and run.words[1] == "-v":
        set_variable(run, run.words[2], formatted(run.words[3], run.words[4:]))
        return ""
    return None


def _history(_machine: Machine, run: Run) -> str | None:
    if run.words[1:2] == ["-s"]:
        run.state.remember(" ".join(run.words[2:]))
        return ""
    return UNKNOWN


def _fc(machine: Machine, run: Run) -> str:
    letters = "".join(word for word in run.words[1:] if word.startswith("-"))
    if "l" in letters:
        return UNKNOWN
    if not run.state.history:
        machine.note(Reason.UNKNOWN_HISTORY)
        return UNKNOWN
    changes = [word.partition("=") for word in run.words[1:] if "=" in word]
    names = [word for word in run.words[1:] if not word.startswith("-") and "=" not in word]
    line = run.state.history[-1]
    if names and "s" in letters:
        line = next((old for old in reversed(run.state.history) if old.startswith(names[-1])), UNKNOWN)
    for old, _sign, new in changes:
        line = line.replace(old, new)
    return machine.run_code(line, run.state)


def _bind(machine: Machine, run: Run) -> str:
    r"""Keys that run something: `bind -x '"\\C-t": command'`, zsh `bindkey -s '^t' 'command\\n'`."""
    for word in run.words[1:]:
        _key, sign, action = word.partition(":")
        code = action if sign else word if run.words[0] == "bindkey" and "-s" in run.words else ""
        code = code.strip().strip("\"'").removesuffix("\\n").removesuffix("\\C-m").removesuffix("^M")
        if code and not word.startswith("-"):
            machine.run_child(code, run.state)
    return ""


def _complete(machine: Machine, run: Run) -> str:
    for flag, code in zip(run.words, run.words[1:], strict=False):
        if flag == "-C":
            machine.run_child(code, run.state)
    return ""


def _abbreviation(_machine: Machine, run: Run) -> str:
    words = [word for word in run.words[1:] if not word.startswith("-")]
    if len(words) > 1:
        put(run.state.aliases, words[0], " ".join(words[1:]))
    return ""


def _silent(_machine: Machine, _run: Run) -> str:
    return ""


def _cat(_machine: Machine, run: Run) -> str | None:
    """Of files written in this session the text is known."""
    names = [word for word in run.words[1:] if not word.startswith("-")]
    if names and any(written_texts(run.state, name) for name in names):
        return "".join(file_text(run.state, name) for name in names)
    return None


BUILTINS: Final[dict[str, Builtin]] = {
    "alias": _alias, "unalias": _unalias, "declare": _declare, "typeset": _declare, "local": _declare, "export": _declare,
    "readonly": _declare, "set": _set, "shift": _shift, "unset": _unset, "read": _read, "mapfile": _mapfile,
    "readarray": _mapfile, "eval": _eval, "source": _source, ".": _source, "trap": _trap, "hash": _hash, "exit": _exit,
    "logout": _exit, "bye": _exit, "printf": _printf, "history": _history, "fc": _fc, "bind": _bind, "bindkey": _bind,
    "complete": _complete, "abbr": _abbreviation, "cat": _cat, ":": _silent, "true": _silent, "false": _silent,
    "cd": _silent, "pushd": _silent, "test": _silent, "[": _silent, "sleep": _silent, "wait": _silent,
    "shopt": _silent, "setopt": _silent, "unsetopt": _silent, "umask": _silent, "ulimit": _silent, "touch": _silent,
    "mkdir": _silent, "chmod": _silent, "chown": _silent, "rm": _silent, "let": _silent,
}  # fmt: skip
