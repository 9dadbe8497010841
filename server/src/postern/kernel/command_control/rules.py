"""Rules of command filters, compiled once for many lines.

Command rules are indexed by program and all regular expressions are one automaton, so that many rules cost as much as a
few. Regular expressions are those of RE2: no look-around and no back-references, and time linear in the text.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Final

import re2

from postern.kernel.command_control.marks import could_be, is_literal
from postern.kernel.command_control.matching import CommandPattern, parsed_pattern
from postern.kernel.command_control.options import Arguments, arguments_of
from postern.kernel.command_control.verdict import Action, Command
from postern.kernel.errors import PosternError

#: Bytes that one expression may take; larger expressions are refused when they are saved.
MAX_EXPRESSION_BYTES: Final = 1 << 20
#: Bytes for all expressions of a filter together. RE2 answers "no match" when it runs out, so this is ample.
_MAX_SET_BYTES: Final = 64 << 20


class RuleKind(Enum):
    COMMAND = "command"
    REGEX = "regex"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as stored: one command or expression in each line of `content`. The higher priority decides first."""

    id: str
    kind: RuleKind
    content: str
    priority: int
    action: Action


class InvalidRule(PosternError):
    """A line of a rule cannot be used. `line_number` counts from 1; `reason` is that of the parser, in English."""

    code: ClassVar[str] = "invalid_command_rule"

    def __init__(self, line_number: int, line: str, reason: str) -> None:
        super().__init__(f"Line {line_number} ({line[:80]}): {reason}")
        self.line_number = line_number
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a rule. The entry with the least `order` decides."""

    order: int
    rule: Rule


def validate(kind: RuleKind, content: str) -> None:
    """Raises `InvalidRule` for the first line that cannot be used, or when there is none."""
    lines = _lines(content)
    if not lines:
        raise InvalidRule(1, "", "is empty")
    for number, line in lines:
        if kind is RuleKind.COMMAND:
            _pattern(number, line)
        else:
            _expression(number, line)


def _lines(content: str) -> list[tuple[int, str]]:
    return [(number, line.strip()) for number, line in enumerate(content.splitlines(), start=1) if line.strip()]


def _pattern(number: int, line: str) -> CommandPattern:
    try:
        return parsed_pattern(line)
    except ValueError as error:
        raise InvalidRule(number, line, str(error)) from error


def _options(max_bytes: int) -> re2.Options:
    options = re2.Options()
    options.max_mem = max_bytes
    options.log_errors = False
    return options


def _expression(number: int, line: str) -> None:
    try:
        re2.compile(line, _options(MAX_EXPRESSION_BYTES))
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0] if error.args else "is no regular expression"
        raise InvalidRule(number, line, reason.decode() if isinstance(reason, bytes) else str(reason)) from error


class _Expressions:
    """Many expressions searched at once."""

    def __init__(self, entries: list[tuple[Entry, str]], *, whole: bool) -> None:
        self.entries = [entry for entry, _line in entries]
        self._set = None
        if entries:
            options = _options(_MAX_SET_BYTES)
            # Not `FullMatchSet` alone: a dot must not keep an allow rule from a command with a line break in it.
            self._set = re2.Set.FullMatchSet(options) if whole else re2.Set.SearchSet(options)
            for _entry, line in entries:
                self._set.Add(line)
            try:
                self._set.Compile()
            except re2.error as error:  # searching a set that is not compiled would end the process
                self._set = None
                raise InvalidRule(1, "", "all expressions together need too much memory") from error

    def first(self, text: str) -> Entry | None:
        """The matching entry that decides first."""
        if self._set is None:
            return None
        places = self._set.Match(text)
        return min((self.entries[place] for place in places), key=_order) if places else None


def _order(entry: Entry) -> int:
    return entry.order


class RuleSet:
    """The rules of a session, and what happens with lines that cannot be resolved.

    Raises `InvalidRule` for rules that `validate` refuses. Of equal priorities the stricter action decides.
    """

    def __init__(self, rules: Iterable[Rule], *, unresolved: Action = Action.ALLOW) -> None:
        self.unresolved = unresolved
        self._commands: dict[str, list[tuple[Entry, CommandPattern]]] = {}
        refusing: list[tuple[Entry, str]] = []
        allowing: list[tuple[Entry, str]] = []
        order = 0
        for rule in sorted(rules, key=lambda rule: (-rule.priority, -rule.action)):
            for number, line in _lines(rule.content):
                entry = Entry(order, rule)
                order += 1
                if rule.kind is RuleKind.COMMAND:
                    pattern = _pattern(number, line)
                    self._commands.setdefault(pattern.program, []).append((entry, pattern))
                else:
                    _expression(number, line)
                    (allowing if rule.action is Action.ALLOW else refusing).append((entry, line))
        self.has_expressions = bool(refusing)
        self.can_refuse = unresolved is not Action.ALLOW or order > len(allowing)
        self._refusing = _Expressions(refusing, whole=False)
        self._allowing = _Expressions(allowing, whole=True)

    def first_in_text(self, text: str) -> Entry | None:
        """The first deny or confirm expression that matches in a text."""
        return self._refusing.first(text)

    def first_for(self, command: Command) -> Entry | None:
        """The entry that decides about a command, None when no rule matches."""
        may_allow = command.has_known_program and not command.writes
        text = command.text
        entries = [self._refusing.first(text), self._allowing.first(text) if may_allow else None]
        if command.words:
            entries += [self._named(command, name, may_allow=may_allow) for name in command.names]
        matching = [entry for entry in entries if entry is not None]
        return min(matching, key=_order) if matching else None

    def _named(self, command: Command, name: str, *, may_allow: bool) -> Entry | None:
        if is_literal(name):
            candidates = self._commands.get(name, [])
        else:
            may_be = [program for program in self._commands if _may_name(name, program)]
            candidates = [pair for program in may_be for pair in self._commands[program]]
        best: Entry | None = None
        arguments: dict[str, Arguments] = {}
        for entry, pattern in candidates:
            if best is not None and best.order < entry.order:
                continue
            allows = entry.rule.action is Action.ALLOW
            if allows and not may_allow:
                continue
            if pattern.program not in arguments:
                arguments[pattern.program] = arguments_of(pattern.program, command.words[1:])
            if pattern.matches(arguments[pattern.program], certainly=allows):
                best = entry
        return best


def _may_name(name: str, program: str) -> bool:
    # A name without a single known character and length says nothing; the command counts as unresolved.
    return bool(name.strip("\ue000\ue001")) and could_be(name, program)
