"""What the parts that read code ask of the block that they belong to (`structure`)."""

from typing import Protocol

from postern.kernel.command_control.expansion import Expander
from postern.kernel.command_control.machine import Machine
from postern.kernel.command_control.reader import Reader, Token
from postern.kernel.command_control.state import ShellState


class Block(Protocol):
    """A piece of shell code that is being run."""

    machine: Machine
    reader: Reader
    state: ShellState
    stdin: str | None
    #: Whether the code ends inside a compound command or behind an operator.
    is_open: bool
    #: Above zero, the current command may not run at all.
    uncertain: int
    aliases: dict[str, str]

    @property
    def expander(self) -> Expander:
        """Expands words in `state`."""
        ...

    def run_list(self, stops: frozenset[str], closer: str = "") -> tuple[str, str]:
        """Runs commands up to a reserved word or an operator. Returns what they print and what ended them."""
        ...

    def take_command_word(self) -> Token:
        """The next token at the place of a command, after aliases."""
        ...

    def take_argument(self) -> Token:
        """The next token behind a command, after global aliases."""
        ...

    def skip_line_breaks(self) -> None:
        """Passes empty lines."""
        ...
