"""Judges a line: resolves it in each shell that may be reading it, and applies the rules to every command."""

from dataclasses import dataclass, field, replace
from typing import Final

from postern.kernel.command_control.resolver import Resolution, resolve
from postern.kernel.command_control.rules import Entry, RuleSet
from postern.kernel.command_control.state import ShellState
from postern.kernel.command_control.verdict import Action, Command, Reason, Verdict

#: Shells inside shells. It is not known whether one really started, so that each line is judged for all of them.
_MAX_SHELLS: Final = 4


@dataclass(frozen=True)
class Session:
    """What is known about the shells of a session, the innermost last. Immutable for callers: `judge` returns the next."""

    shells: tuple[ShellState, ...] = field(default_factory=lambda: (ShellState(),))

    @classmethod
    def of_shell(cls, program: str) -> "Session":
        """A session whose shell is known: interactive zsh takes `#` as an ordinary character."""
        return cls((ShellState(has_remarks=program != "zsh"),))

    def interrupted(self) -> "Session":
        """After Ctrl-C, a refusal, or a new prompt: the open text is gone."""
        if not any(shell.open_text for shell in self.shells):
            return self
        copies = tuple(shell.copy() for shell in self.shells)
        for copy in copies:
            copy.open_text = ""
        return Session(copies)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict for a line, and the session to go on with when the line is released."""

    verdict: Verdict
    session: Session
    #: The commands of the innermost shell.
    commands: tuple[Command, ...]
    is_open: bool
    #: Steps of all shells: what bounds are checked against.
    steps: int


def judge(line: str, session: Session, rules: RuleSet) -> Judgement:
    """Decides about a line that is about to run. Never raises, and never changes `session`.

    A line that is refused must be followed by `session.interrupted()` when the shell got Ctrl-C for it.
    """
    verdict = Verdict(Action.ALLOW)
    states: list[ShellState] = []
    steps = 0
    resolution: Resolution | None = None
    for shell in session.shells:
        state = shell.copy()
        resolution = resolve(line, state)
        steps += resolution.steps
        verdict = _worse(verdict, _decided(resolution, rules))
        states.append(state)
    commands = resolution.commands if resolution else ()
    is_open = resolution is not None and resolution.is_open
    if resolution is not None:
        states = _shells(states, resolution)
    return Judgement(verdict, Session(tuple(states)), commands, is_open, steps)


def _shells(states: list[ShellState], innermost: Resolution) -> list[ShellState]:
    if innermost.left_shell and len(states) > 1:
        return states[:-1]
    for is_local in innermost.started_shells:
        child = states[-1].child(is_local=is_local)
        if child != states[-1] and len(states) < _MAX_SHELLS:
            states.append(child)
    return states


def _worse(left: Verdict, right: Verdict) -> Verdict:
    """The verdict that counts. A rule says more than an unknown part."""
    if right.action > left.action or (right.action == left.action and left.rule is None and right.rule is not None):
        return right if right.unresolved or not left.unresolved else replace(right, unresolved=left.unresolved)
    return left if left.unresolved or not right.unresolved else replace(left, unresolved=right.unresolved)


def _decided(resolution: Resolution, rules: RuleSet) -> Verdict:
    verdict = Verdict(Action.ALLOW)
    lowest_allowing = -1
    for command in resolution.commands:
        entry = rules.first_for(command)
        if entry is None or entry.rule.action is not Action.ALLOW:
            lowest_allowing = -2
        elif lowest_allowing != -2:
            lowest_allowing = max(lowest_allowing, entry.order)
        verdict = _worse(verdict, _of(command, entry, rules))
    for text in dict.fromkeys((resolution.line, *resolution.texts)):
        entry = rules.first_in_text(text)
        if entry is not None and resolution.commands and not -1 < lowest_allowing < entry.order:
            verdict = _worse(verdict, Verdict(entry.rule.action, entry.rule.id, text))
    for unresolved in resolution.unresolved:
        text_of = unresolved.command.text if unresolved.command else None
        verdict = _worse(verdict, Verdict(rules.unresolved, None, text_of, unresolved.reason))
    return verdict


def _of(command: Command, entry: Entry | None, rules: RuleSet) -> Verdict:
    if entry is not None:
        return Verdict(entry.rule.action, entry.rule.id, command.text)
    # A pattern for the program may be what an expression describes; command rules have been compared with it.
    if command.words and not command.has_known_program and rules.has_expressions:
        return Verdict(rules.unresolved, None, command.text, Reason.UNKNOWN_PROGRAM)
    return Verdict(Action.ALLOW)
