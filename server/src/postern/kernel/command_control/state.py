"""The known state of a session's shell. Copied for judging; the copy replaces it only when the line is released."""

from dataclasses import dataclass, field
from typing import Final, TypeVar

from postern.kernel.command_control.limits import MAX_ENTRIES, MAX_HISTORY_LINES
from postern.kernel.command_control.marks import UNKNOWN

Table = dict[str, str]
#: An array holds its values; a plain variable is a list of one.
Values = tuple[str, ...]

Entry = TypeVar("Entry")

IFS: Final = " \t\n"
_MAX_ALTERNATIVES: Final = 4


@dataclass(slots=True)
class ShellState:
    """One shell. All texts may hold marks (`marks`)."""

    variables: dict[str, Values] = field(default_factory=dict)
    #: What a variable may hold when it is not certain which assignment ran; its entry in `variables` is unknown then.
    alternatives: dict[str, Values] = field(default_factory=dict)
    exported: frozenset[str] = frozenset()
    readonly: frozenset[str] = frozenset()
    aliases: Table = field(default_factory=dict)
    global_aliases: Table = field(default_factory=dict)
    #: Bodies by name. More than one when a definition may or may not have run.
    functions: dict[str, Values] = field(default_factory=dict)
    #: Base names of copies and links, and the programs that they may be.
    copies: dict[str, Values] = field(default_factory=dict)
    #: Base names of files written in this session, and the texts that they may hold.
    files: dict[str, Values] = field(default_factory=dict)
    positional: Values = ()
    history: tuple[str, ...] = ()
    last_argument: str = ""
    #: The text of lines that are not complete yet.
    open_text: str = ""
    has_remarks: bool = True

    def copy(self) -> "ShellState":
        """A state that can change without this state. Values are immutable, so only the tables are copied."""
        return ShellState(
            dict(self.variables),
            dict(self.alternatives), self.exported, self.readonly, dict(self.aliases), dict(self.global_aliases),
            dict(self.functions), dict(self.copies), dict(self.files), self.positional, self.history,
            self.last_argument, self.open_text, self.has_remarks,
        )  # fmt: skip

    def child(self, *, is_local: bool = True) -> "ShellState":
        """The state of a shell that this shell starts. Another host or user inherits nothing but what is in files."""
        fresh = ShellState(copies=dict(self.copies), files=dict(self.files))
        if is_local:
            fresh.variables = {name: value for name, value in self.variables.items() if name in self.exported}
            fresh.exported = self.exported
            fresh.functions = {name: body for name, body in self.functions.items() if name in self.exported}
        return fresh

    def assign(self, name: str, values: Values, *, is_uncertain: bool) -> None:
        """Sets a variable. An assignment that may not run leaves both values possible."""
        if name in self.readonly:
            return
        old = self.variables.get(name)
        before = self.alternatives.pop(name, ())
        if is_uncertain and old is not None and old != values:
            single = (*(before or old[:1]), *values[:1])
            if len(single) <= _MAX_ALTERNATIVES and len(values) == len(old) == 1:
                self.alternatives[name] = tuple(dict.fromkeys(single))
            values = (UNKNOWN,)
        put(self.variables, name, values)

    @property
    def size(self) -> int:
        """Entries to copy."""
        return (
            len(self.variables)
            + len(self.alternatives)
            + len(self.aliases)
            + len(self.functions)
            + len(self.copies)
            + len(self.files)
        )

    def remember(self, line: str) -> None:
        """Appends a line to the history."""
        if not line.strip():
            return
        # Shells may be set to leave out lines that begin with a blank, and repeated lines.
        if line[0] in " \t":
            line = UNKNOWN
        elif self.history and self.history[-1] == line:
            self.history = (*self.history[:-1], UNKNOWN)
        self.history = (*self.history[1 - MAX_HISTORY_LINES :], line)


def put(table: dict[str, Entry], name: str, value: Entry) -> None:
    """Sets an entry of a bounded table; the oldest entry makes room."""
    table.pop(name, None)
    if len(table) >= MAX_ENTRIES:
        del table[next(iter(table))]
    table[name] = value
