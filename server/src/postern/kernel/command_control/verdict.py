"""What judging a line results in. Codes and values only: callers put them into words."""

from dataclasses import dataclass
from enum import Enum, IntEnum

from postern.kernel.command_control.marks import base_name, is_literal, is_wholly_unknown, shown


class Action(IntEnum):
    """What happens with a command. The greater one wins for a line."""

    ALLOW = 0
    CONFIRM = 1
    DENY = 2


class Reason(Enum):
    """Why it is not known what a line runs."""

    #: The name of the program comes from a value that this session does not show: `$EDITOR file`.
    UNKNOWN_PROGRAM = "unknown_program"
    #: A shell or interpreter gets code that is not known: `curl … | sh`.
    UNKNOWN_CODE = "unknown_code"
    #: `!…` refers to a line that was not seen.
    UNKNOWN_HISTORY = "unknown_history"
    TOO_LONG = "too_long"
    TOO_MANY_COMMANDS = "too_many_commands"
    TOO_MANY_WORDS = "too_many_words"
    TOO_DEEP = "too_deep"
    TOO_MANY_STEPS = "too_many_steps"


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command as the shell would run it. Texts may hold marks (`marks`); `text` is for people and patterns."""

    words: tuple[str, ...]
    #: Operator and target, such as `(">", "/etc/passwd")`.
    redirections: tuple[tuple[str, str], ...] = ()
    #: Programs that the first word may be a copy of.
    copies_of: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        parts = [*map(shown, self.words), *(f"{sign} {shown(target)}" for sign, target in self.redirections)]
        return " ".join(parts)

    @property
    def names(self) -> tuple[str, ...]:
        """The base names that decide which rules apply."""
        first = self.words[0] if self.words else ""
        if first.startswith("=") and len(first) > 1:  # zsh: the path of the command
            first = first[1:]
        return (base_name(first), *self.copies_of)

    @property
    def has_known_program(self) -> bool:
        return all(map(is_literal, self.names))

    @property
    def has_wholly_unknown_program(self) -> bool:
        return any(is_wholly_unknown(name) for name in self.names)

    @property
    def writes(self) -> bool:
        """Whether a redirection writes to a file: `>&2` and `>/dev/null` do not."""
        return any(
            ">" in sign
            and target not in ("/dev/null", "/dev/stderr", "/dev/stdout")
            and not _is_descriptor(sign, target)
            for sign, target in self.redirections
        )


def _is_descriptor(sign: str, target: str) -> bool:
    return sign.endswith("&") and (target.isdigit() or target in ("-", ""))


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A part of a line that cannot be known. `command` is given when the reason concerns one command."""

    reason: Reason
    command: Command | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision for a line.

    `rule` is the id of the rule that decided, None when no rule did (then `unresolved` may have, by the policy of the
    filter). `command` is the text of the resolved command that the rule matched, or the line itself for a regular
    expression found in it.
    """

    action: Action
    rule: str | None = None
    command: str | None = None
    #: The reason that decided, or the first reason when the policy lets unresolved lines pass.
    unresolved: Reason | None = None
