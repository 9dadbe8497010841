"""Programs that are given shell code: `sh -c`, `su -c`, `ssh host …`, `at`, `make -f -`, and the tools of `escaping_tools`."""

import re
from dataclasses import dataclass
from typing import Final

from postern.kernel.command_control.escaping_tools import TOOLS
from postern.kernel.command_control.files import written_texts
from postern.kernel.command_control.given_code import Carrier, given_code, option_values
from postern.kernel.command_control.machine import Machine, Run
from postern.kernel.command_control.marks import UNKNOWN
from postern.kernel.command_control.verdict import Reason

SHELLS: Final = frozenset(
    {
        "sh",
        "bash",
        "dash",
        "zsh",
        "ksh",
        "mksh",
        "ash",
        "fish",
        "rbash",
        "csh",
        "tcsh",
        "pdksh",
        "ksh93",
        "yash",
        "hush",
        "rzsh",
        "lksh",
    }
)


def run(machine: Machine, job: Run, name: str) -> str | None:
    """What the program prints when it is one of these, None otherwise."""
    carrier = CARRIERS.get(name)
    return None if carrier is None else carrier(machine, job)


@dataclass(slots=True)
class _ShellArguments:
    """The command line of a shell."""

    #: Values of options that are code themselves, such as `fish -C code`.
    codes: list[str]
    #: Files that are run first.
    files: list[str]
    is_code: bool = False
    reads_input: bool = False
    rest: tuple[str, ...] = ()


_TAKES_VALUE: Final = frozenset({"--rcfile", "--init-file", "-O", "+O", "-o", "+o", "-C", "--init-command"})
_INPUT: Final = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})


def _shell_arguments(words: list[str]) -> _ShellArguments:
    arguments = _ShellArguments([], [])
    at = 0
    while at < len(words) and words[at][:1] in "-+" and len(words[at]) > 1 and words[at] != "--":
        word = words[at]
        is_short = word.startswith("-") and not word.startswith("--")
        if word in _TAKES_VALUE or re.fullmatch(r"[-+][a-z]*o", word):
            at += 1
            value = words[at] if at < len(words) else ""
            if word in ("-C", "--init-command"):
                arguments.codes.append(value)
            elif word in ("--rcfile", "--init-file"):
                arguments.files.append(value)
        elif word.startswith("--command="):
            arguments.codes.append(word.partition("=")[2])
        arguments.is_code = arguments.is_code or word == "--command" or (is_short and "c" in word)
        arguments.reads_input = arguments.reads_input or (is_short and "s" in word)
        at += 1
    arguments.rest = tuple(words[at + 1 :] if words[at : at + 1] == ["--"] else words[at:])
    return arguments


def _shell(machine: Machine, job: Run) -> str | None:
    given = _shell_arguments(job.words[1:])
    for code in (*given.codes, *(text for path in given.files for text in written_texts(job.state, path))):
        machine.run_child(code, job.state)
    rest = given.rest
    if given.is_code:
        if rest and rest[0].startswith(UNKNOWN):
            machine.note(Reason.UNKNOWN_CODE)
        return machine.run_child(rest[0], job.state, job.stdin, arguments=rest[2:]) if rest else UNKNOWN
    if rest and not given.reads_input and rest[0] not in _INPUT:
        for text in written_texts(job.state, rest[0]):
            if text.strip() == UNKNOWN:
                machine.note(Reason.UNKNOWN_CODE)
            machine.run_child(text, job.state, job.stdin, arguments=rest[1:])
        return UNKNOWN
    if job.stdin is None:
        if not given.codes:
            machine.nested_shell(is_local=True)
        return UNKNOWN
    if job.stdin.strip() == UNKNOWN:
        machine.note(Reason.UNKNOWN_CODE)
        return UNKNOWN
    return machine.run_child(job.stdin, job.state, None, arguments=rest)


def _su(machine: Machine, job: Run) -> str:
    codes = list(option_values(job.words[1:], ("-c", "--command", "--session-command")))
    if codes:
        return given_code(machine, job, codes)
    if job.stdin is not None:
        return given_code(machine, job, [job.stdin])
    machine.nested_shell(is_local=False)
    return UNKNOWN


def _sg(machine: Machine, job: Run) -> str:
    rest = [word for word in job.words[1:] if word != "-"]
    code = " ".join(rest[2:] if rest[1:2] == ["-c"] else rest[1:])
    return given_code(machine, job, [code] if code else [])


_SSH_VALUES: Final = "BbcDEeFIiJLlmOopQRSWwP"


def _ssh(machine: Machine, job: Run) -> str:
    words, at = job.words[1:], 0
    while at < len(words) and words[at].startswith("-") and len(words[at]) > 1:
        word = words[at]
        letter = next((place for place, mark in enumerate(word[1:], start=1) if mark in _SSH_VALUES), None)
        value = "" if letter is None else word[letter + 1 :]
        if letter is not None and not value:
            at += 1
            value = words[at] if at < len(words) else ""
        if letter is not None and word[letter] == "o":
            key, *rest = re.split(r"\s*[=\s]\s*", value.strip(), maxsplit=1)
            code = "".join(rest)
            if key.lower() in ("proxycommand", "localcommand", "knownhostscommand", "remotecommand"):
                machine.run_child(code, job.state)
        at += 1
    rest = words[at + 1 :]
    while rest and rest[0].startswith("-"):  # OpenSSH takes options behind the host, too
        value_follows = rest[0] != "--" and rest[0][-1] in _SSH_VALUES
        rest = rest[2:] if value_follows else rest[1:]
    if rest:
        return machine.run_child(" ".join(rest), job.state, job.stdin)
    if job.stdin is not None:
        return given_code(machine, job, [job.stdin])
    machine.nested_shell(is_local=False)
    return UNKNOWN


def _stdin_code(machine: Machine, job: Run) -> str:
    """`at`, `batch`: the input is code. `-f file` as well."""
    if job.stdin is not None:
        given_code(machine, job, [job.stdin])
    for path in option_values(job.words[1:], ("-f",)):
        given_code(machine, job, written_texts(job.state, path))
    return UNKNOWN


def _crontab(machine: Machine, job: Run) -> str:
    operands = [word for word in job.words[1:] if not word.startswith("-") or word == "-"]
    texts = [job.stdin or ""] if "-" in operands or not job.words[1:] else []
    texts += [text for path in operands for text in written_texts(job.state, path)]
    for line in "\n".join(texts).split("\n"):
        fields = line.split(None, 1 if line.startswith("@") else 5)
        if fields and not line.startswith("#") and len(fields) in (2, 6):
            machine.run_child(fields[-1], job.state)
    return UNKNOWN


def _make(machine: Machine, job: Run) -> str:
    given_code(machine, job, [word.partition("=")[2] for word in job.words[1:] if word.startswith("SHELL=")])
    texts: list[str] = []
    paths = list(option_values(job.words[1:], ("-f", "--file", "--makefile")))
    for path in paths or ["Makefile", "makefile", "GNUmakefile"]:
        texts += [job.stdin or UNKNOWN] if path in ("-", "/dev/stdin") else written_texts(job.state, path)
    for text in texts:
        if text.strip() == UNKNOWN:
            machine.note(Reason.UNKNOWN_CODE)
        for line in re.findall(r"(?:^\t|;)\s*[@+-]*(.+)", text, re.MULTILINE):
            machine.run_child(line.replace("$$", "$"), job.state)
    evaluated = [*option_values(job.words[1:], ("--eval", "-E")), *texts]
    for code in (code_text for text in evaluated for code_text in re.findall(r"\$\(shell ([^)]*)\)", text)):
        machine.run_child(code, job.state)
    for text in option_values(job.words[1:], ("--eval",)):
        for line in re.findall(r"[\t;]\s*[@+-]*(.+)", text):
            machine.run_child(line, job.state)
    return UNKNOWN


CARRIERS: Final[dict[str, Carrier]] = {
    **dict.fromkeys(SHELLS, _shell), **TOOLS,
    "su": _su, "sg": _sg, "runuser": _su, "ssh": _ssh, "slogin": _ssh, "autossh": _ssh, "rsh": _ssh, "at": _stdin_code,
    "batch": _stdin_code, "crontab": _crontab, "make": _make, "gmake": _make,
}  # fmt: skip
