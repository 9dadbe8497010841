"""What the parts that interpret commands may ask of the machine that runs code (`runner`)."""

from dataclasses import dataclass
from typing import Protocol

from postern.kernel.command_control.expansion import Substitutions
from postern.kernel.command_control.state import ShellState
from postern.kernel.command_control.verdict import Command, Reason


@dataclass(slots=True)
class Run:
    """A simple command with its surroundings."""

    words: list[str]
    state: ShellState
    #: The text that it reads; None for the terminal.
    stdin: str | None = None
    redirections: tuple[tuple[str, str], ...] = ()
    #: Whether it may not run at all, or may run later: what it sets is not certain.
    is_uncertain: bool = False
    #: Whether a pipe feeds it: then it may run in a shell of its own.
    is_fed: bool = False


class Machine(Substitutions, Protocol):
    """Runs code and commands, and records each simple command."""

    commands: list[Command]
    #: The resolved text of each list of commands: what a regular expression over several commands sees.
    texts: list[str]
    #: Above zero, nothing is recorded: code is only read to find its end.
    muted: int
    depth: int

    def note(self, reason: Reason, command: Command | None = None) -> None:
        """Marks the line, or a command of it, as not resolved."""
        ...

    def record(self, command: Command) -> bool:
        """Keeps a command. False when there are too many."""
        ...

    def run_code(self, code: str, state: ShellState, stdin: str | None = None) -> str:
        """Runs shell code in `state` itself. Returns what it prints."""
        ...

    def run_child(
        self, code: str, state: ShellState, stdin: str | None = None, *, arguments: tuple[str, ...] = ()
    ) -> str:
        """Runs shell code in a shell of its own, which inherits what is exported. Returns what it prints."""
        ...

    def run_command(self, run: Run) -> str:
        """Runs one simple command: records it, and what it runs in turn. Returns what it prints."""
        ...

    def nested_shell(self, *, is_local: bool) -> None:
        """Notes that an interactive shell was started, which reads the next line."""
        ...

    def left_shell(self) -> None:
        """Notes `exit` and its like."""
        ...
