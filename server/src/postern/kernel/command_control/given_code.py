"""Finding shell code in the arguments of a program, and running it in a shell of its own."""

import re
from collections.abc import Callable, Iterable, Iterator

from postern.kernel.command_control.machine import Machine, Run
from postern.kernel.command_control.marks import UNKNOWN
from postern.kernel.command_control.verdict import Reason

Carrier = Callable[[Machine, Run], str | None]


def given_code(machine: Machine, job: Run, codes: Iterable[str]) -> str:
    output = ""
    for code in codes:
        if code.strip() == UNKNOWN or code.startswith(UNKNOWN):
            machine.note(Reason.UNKNOWN_CODE)
        output = machine.run_child(code, job.state)
    return output


def option_values(words: list[str], flags: tuple[str, ...]) -> Iterator[str]:
    """Values of options: `-c code`, `-ccode`, `--command=code`, `--command code`."""
    for place, word in enumerate(words):
        for flag in flags:
            if word == flag and place + 1 < len(words):
                yield words[place + 1]
            elif flag.startswith("--") and word.startswith(flag + "="):
                yield word.partition("=")[2]
            elif len(flag) == 2 and not word.startswith("--"):
                if word.startswith(flag):
                    yield word[2:]
                elif place + 1 < len(words) and re.fullmatch(r"-[A-Za-z]+" + flag[1], word):
                    yield words[place + 1]


def code_options(*flags: str, strip: str = "") -> Carrier:
    def carrier(machine: Machine, job: Run) -> str:
        given_code(machine, job, [code.removeprefix(strip) for code in option_values(job.words[1:], flags)])
        return UNKNOWN

    return carrier
