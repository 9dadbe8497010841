"""Lists, pipelines and compound commands of one piece of shell code."""

import re
from dataclasses import dataclass, field
from typing import Final

from postern.kernel.command_control import compounds
from postern.kernel.command_control.builtins import CODE_VARIABLES, SUBSTITUTED_VARIABLES, code_variable
from postern.kernel.command_control.expansion import Expander
from postern.kernel.command_control.files import input_of, write_output
from postern.kernel.command_control.machine import Machine, Run
from postern.kernel.command_control.marks import UNKNOWN
from postern.kernel.command_control.reader import Kind, Reader, Token, TokenKind
from postern.kernel.command_control.simple import Parts, assign, read_simple
from postern.kernel.command_control.state import ShellState

#: Words before a command that do not change which command it is. `and … end` are those of fish.
_SKIPPED: Final = frozenset(
    {"!", "then", "do", "else", "elif", "fi", "done", "esac", "coproc", "and", "or", "not", "begin", "end", "always"}
)
_FUNCTION: Final = re.compile(r"[ \t]*\([ \t]*\)")
_PARAMETER: Final = re.compile(r"[A-Za-z_]\w*")
#: `coproc name {`: the name is no command.
_NAMED_GROUP: Final = re.compile(r"[ \t]+\w+[ \t]+(?=[{(])")
_ENDS_LIST: Final = frozenset({";", "\n", "&", "&|", "&!"})
_ENDS_CASE: Final = frozenset({";;", ";&", ";;&"})
_BREAKS: Final = frozenset({"break", "continue", "return", "exit"})


@dataclass(slots=True)
class Block:
    """Reads code with `reader` and runs it in `state`."""

    machine: Machine
    reader: Reader
    state: ShellState
    stdin: str | None = None
    is_open: bool = False
    uncertain: int = 0
    #: Whether `break`, `return` or the like came before.
    has_left: bool = False
    is_fed: bool = False
    #: Aliases count from the line after their definition.
    aliases: dict[str, str] = field(default_factory=dict)
    _active: list[tuple[str, int]] = field(default_factory=list)
    _next_alias_tail: int = -1

    def __post_init__(self) -> None:
        self.aliases = dict(self.state.aliases)

    @property
    def is_uncertain(self) -> bool:
        """Whether the current command may not run, or not in this shell."""
        return self.uncertain > 0 or self.has_left

    @property
    def expander(self) -> Expander:
        return Expander(self.machine, self.state)

    def run_all(self) -> str:
        """Runs the whole code. Returns what it prints."""
        outputs = []
        while True:
            output, stop = self.run_list(frozenset())
            outputs.append(output)
            if not stop:
                return "".join(outputs)

    def run_list(self, stops: frozenset[str], closer: str = "") -> tuple[str, str]:
        """Runs commands up to one of the reserved words `stops`, or the operator `closer`.

        Returns what they print and the word that ended the list, empty at the end of the text.
        """
        outputs: list[str] = []
        texts: list[str] = []
        before, stop = self.uncertain, ""
        while True:
            token = self.take_command_word()
            if token.kind is TokenKind.END:
                self.is_open = self.is_open or bool(stops) or bool(closer)
                break
            if token.kind is TokenKind.OPERATOR and token.text != "(":
                if token.text == closer or (token.text in _ENDS_CASE and closer == ";;"):
                    stop = token.text
                    break
                self._pass_operator(token.text, before, texts)
                continue
            if token.plain is not None and token.plain in stops:
                stop = token.plain
                break
            outputs.append(self._pipeline(token, texts))
        if len(texts) > 2 and not self.machine.muted:
            self.machine.texts.append(" ".join(texts))
        self.uncertain = before
        return "".join(outputs), stop

    def _pass_operator(self, operator: str, before: int, texts: list[str]) -> None:
        if operator in ("&&", "||"):
            self.uncertain += 1
            self.skip_line_breaks()
            if self.reader.peek().kind is TokenKind.END:
                self.is_open = True
        elif operator in _ENDS_LIST:
            self.uncertain = max(before, self.uncertain - 1) if self.uncertain > before else before
            if operator == "\n":
                self.aliases = dict(self.state.aliases)
        if texts and operator != "\n":
            texts.append(operator)

    def skip_line_breaks(self) -> None:
        while True:
            token = self.reader.peek()
            if token.kind is not TokenKind.OPERATOR or token.text != "\n":
                return
            self.reader.next()

    def take_command_word(self) -> Token:
        """The next token at the place of a command, after aliases."""
        while True:
            token = self.reader.next()
            if token.kind is not TokenKind.WORD or not self.expand_alias(token, self.aliases):
                return token

    def take_argument(self) -> Token:
        """The next token behind a command: global aliases, and aliases after an alias with a trailing blank."""
        while True:
            token = self.reader.next()
            if token.kind is not TokenKind.WORD or token.plain is None:
                return token
            follows = 0 <= len(self.reader.text) - token.start <= self._next_alias_tail
            if follows:
                self._next_alias_tail = -1
            if follows and self.expand_alias(token, self.aliases):
                continue
            if not self.expand_alias(token, self.state.global_aliases):
                return token

    def expand_alias(self, token: Token, aliases: dict[str, str]) -> bool:
        """Puts the text of an alias in the place of its name, unless it is being expanded already."""
        if token.plain is None or not aliases:
            return False
        tail = len(self.reader.text) - token.end
        self._active = [(name, end) for name, end in self._active if len(self.reader.text) - token.start > end]
        value = aliases.get(token.plain)
        if value is None or any(name == token.plain for name, _end in self._active):
            return False
        self.reader.replace(token.start, token.end, value)
        self._active.append((token.plain, tail))
        if value.endswith((" ", "\t")):
            self._next_alias_tail = tail
        return True

    def _pipeline(self, token: Token, texts: list[str]) -> str:
        stdin, stages = self.stdin, []
        while True:
            known = len(self.machine.commands)
            output = self._stage(token, stdin)
            if len(self.machine.commands) > known:
                stages.append(self.machine.commands[known].text)
            following = self.reader.peek()
            if following.kind is not TokenKind.OPERATOR or following.text not in ("|", "|&"):
                break
            self.reader.next()
            self.skip_line_breaks()
            stdin = output
            token = self.take_command_word()
            if token.kind is TokenKind.END:
                self.is_open = True
                break
            if token.kind is TokenKind.OPERATOR and token.text != "(":
                self.reader.place = token.start
                break
        if stages:
            texts.append(" | ".join(stages))
            if len(stages) > 1 and not self.machine.muted:
                self.machine.texts.append(texts[-1])
        return output

    def _stage(self, token: Token, stdin: str | None) -> str:
        """One command of a pipeline, after the words that may precede it."""
        while token.plain in _SKIPPED or token.plain in ("time", "repeat"):
            taken = self.reader.peek()
            named = _NAMED_GROUP.match(self.reader.text, self.reader.place) if token.plain == "coproc" else None
            if named:
                self.reader.place = named.end()
            if token.plain == "repeat" or (token.plain == "time" and (taken.plain or "").startswith("-")):
                self.reader.next()
            token = self.take_command_word()
            if token.kind is TokenKind.END or (token.kind is TokenKind.OPERATOR and token.text != "("):
                self.reader.place = token.start
                return ""
        if (
            token.plain is not None
            and token.plain not in compounds.STARTS
            and _FUNCTION.match(self.reader.text, self.reader.place)
        ):
            match = _FUNCTION.match(self.reader.text, self.reader.place)
            self.reader.place = match.end() if match else self.reader.place
            return compounds.define(self, token.plain)
        if token.plain == "function":
            return compounds.define_named(self)
        if token.text == "(" or token.plain in compounds.STARTS:
            return compounds.run(self, token, stdin)
        return self._simple(token, stdin)

    def _simple(self, token: Token, stdin: str | None) -> str:
        parts = read_simple(self, token)
        following = self.reader.peek()
        is_piped = following.kind is TokenKind.OPERATOR and following.text in ("|", "|&", "&", "&|", "&!")
        state = self.state
        if is_piped:
            self.machine.meter.spend(state.size)
            state = state.copy()
        # The last command of a pipeline changes the shell in zsh, and a copy of it in bash.
        self.is_fed = stdin is not self.stdin
        self.uncertain += self.is_fed
        output = self.run_parts(parts, state, stdin)
        self.uncertain -= stdin is not self.stdin
        self.is_fed = False
        return output

    def run_parts(self, parts: Parts, state: ShellState, stdin: str | None) -> str:
        """Expands and runs a simple command, once for each value that it may mean."""
        name = self._uncertain_name(parts, state)
        if name is None:
            return self._run_once(parts, state, stdin)
        for value in state.alternatives[name]:
            self.machine.meter.spend(state.size)
            chosen = state.copy()
            chosen.assign(name, (value,), is_uncertain=False)
            self.run_parts(parts, chosen, stdin)
        return UNKNOWN

    def _uncertain_name(self, parts: Parts, state: ShellState) -> str | None:
        if not state.alternatives:
            return None
        for segment in (segment for segments in parts.words for segment in segments):
            if segment.kind is Kind.PARAMETER:
                match = _PARAMETER.match(segment.text)
                if match and match[0] in state.alternatives:
                    return match[0]
        return None

    def _run_once(self, parts: Parts, state: ShellState, stdin: str | None) -> str:
        expander = Expander(self.machine, state)
        # Unlike `x=1 cmd`, `x=1` alone stays.
        assigned = state if not parts.words else state.copy() if parts.assignments else state
        words = [field for segments in parts.words for field in expander.fields(segments)]
        for name, segments, appends in parts.assignments:
            assign(
                Expander(self.machine, assigned),
                assigned,
                name,
                segments,
                appends=appends,
                is_uncertain=self.is_uncertain,
            )
            value = assigned.variables.get(name)
            if value and name in CODE_VARIABLES | SUBSTITUTED_VARIABLES:
                code_variable(self.machine, Run([], assigned), name, value[0])
            if parts.words:
                assigned.exported |= {name}
        redirections = tuple((sign, expander.text(target)) for sign, target in parts.redirections)
        stdin = input_of(expander, parts, redirections, state, stdin)
        if not words:
            write_output(state, redirections, "")
            return "" if not redirections else self.machine.run_command(Run([], state, stdin, redirections)) and ""
        is_uncertain = self.is_uncertain
        run = Run(words, assigned, stdin, redirections, is_uncertain, self.is_fed)
        output = self.machine.run_command(run)
        if assigned is not state:
            _keep(assigned, state, {name for name, _segments, _appends in parts.assignments})
        if words[0] in _BREAKS:
            self.has_left = True  # what follows may not run
        state.last_argument = words[-1]
        for (sign, _target), (_sign, segments) in zip(redirections, parts.redirections, strict=True):
            if ">" in sign and len(segments) == 1 and segments[0].kind is Kind.PROCESS:  # `> >(code)`
                self.machine.run_child(segments[0].text, state, output)
        return write_output(state, redirections, output)


def _keep(assigned: ShellState, state: ShellState, names: set[str]) -> None:
    """After `x=1 cmd`: what the command changed stays, the assignments before it do not."""
    for name, value in assigned.variables.items():
        if name not in names:
            state.variables[name] = value
    state.aliases, state.global_aliases = assigned.aliases, assigned.global_aliases
    state.functions, state.copies, state.files = assigned.functions, assigned.copies, assigned.files
    state.positional = assigned.positional
    state.exported = assigned.exported - (names - state.exported)
