"""Whether a command is what a command rule names.

Same program (by base name), the rule's options among those of the command, the rule's operands in order. Case matters.
"""

import shlex
from dataclasses import dataclass

from postern.kernel.command_control.marks import (
    STAR,
    base_name,
    could_be,
    could_start_with,
    is_literal,
    is_wholly_unknown,
)
from postern.kernel.command_control.options import Arguments, arguments_of, names_files


@dataclass(frozen=True, slots=True)
class CommandPattern:
    """A line of a command rule."""

    program: str
    arguments: Arguments
    #: Whether the first operand may follow others.
    is_anywhere: bool

    def matches(self, arguments: Arguments, *, certainly: bool) -> bool:
        """Whether the words behind the program fit. With `certainly`, unknown parts never do."""
        wanted = self.arguments
        for option in wanted.options:
            if option not in arguments.options and (certainly or not _may_hold(option, arguments.open_options)):
                return False
        operands = [operand for operand, _is_value in wanted.operands]
        return not operands or _in_order(operands, arguments, anywhere=self.is_anywhere, certainly=certainly)


def parsed_pattern(line: str) -> CommandPattern:
    """Reads a line of a rule. Raises `ValueError` when a quote is open or no program is named."""
    words = shlex.split(line)
    if not words or not base_name(words[0]):
        raise ValueError("names no program")
    program = base_name(words[0])
    arguments = arguments_of(program, tuple(words[1:]))
    # A cluster stays whole beside its letters for programs that are not known here; a rule needs the letters only.
    letters = frozenset(
        option
        for option in arguments.options
        if not _is_cluster(option, arguments.options)
        and not ("=" not in option and _is_known_twice(option, arguments.options, words))
    )
    first = arguments.operands[0][0] if arguments.operands else ""
    return CommandPattern(program, Arguments(letters, (), arguments.operands), names_files(program, first))


def _is_cluster(option: str, options: frozenset[str]) -> bool:
    is_short = option.startswith("-") and not option.startswith("--") and len(option) > 2
    return is_short and len(options) > 1 and len(set(option[1:])) <= len(options)


def _is_known_twice(option: str, options: frozenset[str], words: list[str]) -> bool:
    """A long option that has a short form is there in both; `--opt=value` is there with and without its value."""
    if not option.startswith("--"):
        return False
    if any(word.startswith(option + "=") for word in words):
        return True
    normal = arguments_of(base_name(words[0]), (option,)).options - {option}
    return bool(normal) and normal <= options


def _may_hold(option: str, unknown: tuple[str, ...]) -> bool:
    """Whether an option that is not wholly known may be `option`, alone or in a cluster."""
    is_letter = len(option) == 2
    return any(
        could_be(word, option)
        or (is_letter and not word.startswith("--") and (option[1] in word or could_start_with(word, option)))
        for word in unknown
    )


def _in_order(wanted: list[str], arguments: Arguments, *, anywhere: bool, certainly: bool) -> bool:
    place = 0
    for operand, is_value in arguments.operands:
        if _is_operand(operand, wanted[place], certainly=certainly):
            place += 1
            if place == len(wanted):
                return True
        elif place == 0 and not anywhere and not is_value:
            return False
    return False


def _is_operand(word: str, wanted: str, *, certainly: bool) -> bool:
    if is_literal(word):
        return word == wanted
    if certainly or is_wholly_unknown(word):
        return False
    # `/etc/*` touches all that `/etc` holds.
    return could_be(word, wanted) or (word.endswith("/" + STAR) and (word[:-2] or "/") == wanted)
