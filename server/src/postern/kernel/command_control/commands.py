"""Runs one simple command: records it, then follows what it runs in turn."""

import re
from typing import Final

from postern.kernel.command_control import builtins, carriers, interpreters, producers, transfers, wrappers
from postern.kernel.command_control.files import written_texts
from postern.kernel.command_control.machine import Machine, Run
from postern.kernel.command_control.marks import UNKNOWN, base_name, could_be, is_literal, is_wholly_unknown
from postern.kernel.command_control.verdict import Command, Reason

_KNOWN: Final = tuple(sorted({*builtins.BUILTINS, *carriers.CARRIERS, *interpreters.NAMES, *wrappers.NAMES}))
_LOCAL: Final = re.compile(r"\b(?:local|declare|typeset)\b")
_MAX_CANDIDATES: Final = 4
_MAX_LINKS: Final = 8


def run(machine: Machine, job: Run) -> str:
    """Returns what the command prints; unknown text when that is not known."""
    if not job.words:
        machine.record(Command((), job.redirections))
        return ""
    first = job.words[0]
    machine.meter.spend(len(job.words) + sum(map(len, job.words)))
    copies = _copies(job)
    command = Command(tuple(job.words), job.redirections, copies)
    if not machine.record(command):
        return UNKNOWN
    if is_wholly_unknown(base_name(first)):
        machine.note(Reason.UNKNOWN_PROGRAM, command)
        if first == UNKNOWN and len(job.words) > 1:  # a value that may be empty: then the next word is the program
            machine.run_command(_with(job, job.words[1:]))
        return UNKNOWN
    outputs = [_follow(machine, job, name) for name in (*_candidates(first), *copies)]
    return outputs[0] if outputs else UNKNOWN


def _with(job: Run, words: list[str]) -> Run:
    return Run(words, job.state, job.stdin, (), job.is_uncertain)


def _copies(job: Run) -> tuple[str, ...]:
    """The programs behind copies and links, followed a few times."""
    names: list[str] = []
    waiting = [base_name(job.words[0])]
    while waiting and len(names) < _MAX_LINKS:
        for name in job.state.copies.get(waiting.pop(), ()):
            if name not in names:
                names.append(name)
                waiting.append(name)
    return tuple(names)


def _candidates(first: str) -> tuple[str, ...]:
    """The programs that the first word may be, as far as they run others."""
    name = base_name(first.removeprefix("=") if len(first) > 1 else first)
    if is_literal(name):
        return (name,)
    return tuple(known for known in _KNOWN if could_be(name, known))[:_MAX_CANDIDATES] or (name,)


def _follow(machine: Machine, job: Run, name: str) -> str:
    """Follows the command as the program `name`."""
    state = job.state
    if name in state.functions and job.words[0] == name:
        return _call(machine, job, name)
    texts = written_texts(state, job.words[0])
    if texts and "/" in job.words[0]:
        for text in texts:
            _script(machine, job, text)
        return UNKNOWN
    transfers.note(job, name)
    if name in builtins.BUILTINS:
        output = builtins.BUILTINS[name](machine, job)
        if output is not None:
            return output
    for inner in wrappers.inner_commands(machine, job, name):
        output = machine.run_command(inner)
        if name in wrappers.TRANSPARENT:
            return output
    carried = carriers.run(machine, job, name)
    if carried is not None:
        return carried
    printed = interpreters.run(machine, job, name)
    if printed is not None:
        return printed
    return producers.output(machine, job, name)


def _call(machine: Machine, job: Run, name: str) -> str:
    state = job.state
    positional = state.positional
    bodies = state.functions[name]
    # Inside, the name itself means the same function; the bound on depth ends that.
    state.positional = tuple(job.words[1:])
    before = dict(state.variables) if any(map(_LOCAL.search, bodies)) else {}
    outputs = [machine.run_code(body, state, job.stdin) for body in bodies]
    state.positional = positional
    for variable, value in before.items():
        if state.variables.get(variable, value) != value:  # it may have been local to the function
            state.assign(variable, value, is_uncertain=True)
    return outputs[-1] if outputs else UNKNOWN


def _script(machine: Machine, job: Run, text: str) -> None:
    first_line = text.split("\n", 1)[0]
    name = base_name(first_line.removeprefix("#!").replace("/env ", "/").strip().split(" ")[0])
    if first_line.startswith("#!") and interpreters.is_interpreter(name):
        interpreters.run_text(machine, job, name, text)
    else:
        machine.run_child(text, job.state, job.stdin, arguments=tuple(job.words[1:]))
