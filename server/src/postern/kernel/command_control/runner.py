"""Runs shell code without running anything: follows its structure and hands each simple command to `commands`.

Not a grammar: reserved words are followed where they make sense and skipped elsewhere, so that every text has a meaning.
"""

from collections.abc import Callable
from typing import Final

from postern.kernel.command_control import commands
from postern.kernel.command_control.limits import MAX_COMMANDS, MAX_DEPTH, MAX_TEXT_CHARACTERS, Meter
from postern.kernel.command_control.machine import Run
from postern.kernel.command_control.marks import UNKNOWN
from postern.kernel.command_control.reader import Reader
from postern.kernel.command_control.state import ShellState, put
from postern.kernel.command_control.structure import Block
from postern.kernel.command_control.verdict import Command, Reason, Unresolved

_PIPE_NAME: Final = "/dev/fd/"


class Runner:
    """Collects the commands of one line. See `machine.Machine` for the meaning of its methods."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.commands: list[Command] = []
        self.unresolved: list[Unresolved] = []
        #: The resolved text of each list of commands: what a regular expression over several commands sees.
        self.texts: list[str] = []
        self.is_open = False
        self.depth = 0
        #: Above zero, nothing is recorded: the body of a function is only read to find its end.
        self.muted = 0
        self.started: list[bool] = []
        self.left = False

    def note(self, reason: Reason, command: Command | None = None) -> None:
        if not self.muted and all(known.reason is not reason for known in self.unresolved):
            self.unresolved.append(Unresolved(reason, command))

    def record(self, command: Command) -> bool:
        """Keeps a command. False when there are too many."""
        if self.muted:
            return True
        if len(self.commands) >= MAX_COMMANDS:
            self.note(Reason.TOO_MANY_COMMANDS)
            return False
        self.commands.append(command)
        return True

    def run_code(self, code: str, state: ShellState, stdin: str | None = None) -> str:
        return self._deeper(lambda: self._block(code, state, stdin).run_all(), code)

    def run_child(
        self, code: str, state: ShellState, stdin: str | None = None, *, arguments: tuple[str, ...] = ()
    ) -> str:
        self.meter.spend(state.size)
        child = state.child()
        child.positional = arguments
        return self.run_code(code, child, stdin)

    def run_top(self, code: str, state: ShellState) -> bool:
        """Runs a line as typed. Returns whether it is still open."""
        block = self._block(code, state, None)
        block.run_all()
        return block.reader.is_open or block.is_open

    def run_command(self, run: Run) -> str:
        return self._deeper(lambda: commands.run(self, run), " ".join(run.words))

    def output_of(self, code: str, state: ShellState) -> str:
        self.meter.spend(state.size)
        if code.lstrip().startswith("<"):
            return self._deeper(lambda: self._block("cat " + code, state.copy(), None).run_all(), code).rstrip("\n")
        return self.run_code(code, state.copy()).rstrip("\n")

    def file_of(self, code: str, state: ShellState) -> str:
        name = f"{_PIPE_NAME}{63 - len(state.files) % 50}"
        put(state.files, name.rpartition("/")[2], (self.output_of(code, state) + "\n",))
        return name

    def nested_shell(self, *, is_local: bool) -> None:
        if not self.muted:
            self.started.append(is_local)

    def left_shell(self) -> None:
        if not self.muted:
            self.left = True

    def _block(self, code: str, state: ShellState, stdin: str | None) -> Block:
        reader = Reader(code, self.meter, has_remarks=state.has_remarks or self.depth > 0)
        return Block(self, reader, state, stdin)

    def _deeper(self, work: Callable[[], str], code: str) -> str:
        self.meter.spend(len(code) + 1)
        if self.depth >= MAX_DEPTH:
            self.note(Reason.TOO_DEEP)
            return UNKNOWN
        self.depth += 1
        try:
            output = work()
        finally:
            self.depth -= 1
        return output if len(output) <= MAX_TEXT_CHARACTERS else UNKNOWN
