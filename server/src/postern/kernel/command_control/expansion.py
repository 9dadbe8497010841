"""Turns a word as written into the words that the command gets: braces, values, substitutions, splitting, patterns."""

import re
from dataclasses import dataclass
from typing import Final, Protocol

from postern.kernel.command_control.arithmetic import computed
from postern.kernel.command_control.braces import TooManyWords, braced
from postern.kernel.command_control.limits import Meter
from postern.kernel.command_control.marks import UNKNOWN
from postern.kernel.command_control.parameters import Parameters
from postern.kernel.command_control.patterns import activated
from postern.kernel.command_control.reader import Kind, Reader, Segment, TokenKind
from postern.kernel.command_control.state import IFS, ShellState
from postern.kernel.command_control.verdict import Reason

_TILDE: Final = re.compile(r"~[A-Za-z0-9_.+-]*(?=/|\Z)")
_VARIABLE: Final = re.compile(r"\$\{?([A-Za-z_]\w*)\}?|([A-Za-z_]\w*)")
_OTHER_BASE: Final = re.compile(r"#|\b0[xX]")
#: Nested `${x:-${y:-…}}`; deeper nesting is unknown.
_DEEPEST_WORD: Final = 16


class Substitutions(Protocol):
    """What expansion needs from the machine that runs code."""

    meter: Meter

    def output_of(self, code: str, state: ShellState) -> str:
        """The expansion of `$(code)`, without the line breaks at its end."""
        ...

    def file_of(self, code: str, state: ShellState) -> str:
        """The name of the file to which `<(code)` expands."""
        ...

    def note(self, reason: Reason) -> None:
        """Marks the line as not resolved."""
        ...


@dataclass(slots=True)
class Expander:
    """Expands the words of one command in `state`."""

    machine: Substitutions
    state: ShellState
    depth: int = 0

    def fields(self, segments: tuple[Segment, ...]) -> list[str]:
        """The words that one written word becomes: none, one or several."""
        try:
            words = braced(segments, self.machine.meter)
        except TooManyWords:
            self.machine.note(Reason.TOO_MANY_WORDS)
            return [UNKNOWN]
        return [field for word in words for field in self._split_fields(word)]

    def text(self, segments: tuple[Segment, ...], *, keeps_patterns: bool = False) -> str:
        """The word as a single text, as in assignments and redirections."""
        parts: list[str] = []
        for place, segment in enumerate(segments):
            if segment.kind is Kind.TEXT:
                text = self._tilde(segment.text) if place == 0 else segment.text
                parts.append(activated(text) if keeps_patterns else text)
            elif segment.kind is Kind.QUOTED:
                parts.append(segment.text)
            else:
                values, _apart = self._values(segment)
                parts.append(" ".join(values))
        return "".join(parts)

    def raw(self, text: str, keeps_patterns: bool = False) -> str:
        """Expands text that is not a word of its own: `${x:-here}`, the inside of `$((…))`, a here-document."""
        if not any(mark in text for mark in "$`\\\"'*?[~("):
            return text
        if self.depth >= _DEEPEST_WORD:
            self.machine.note(Reason.TOO_DEEP)
            return UNKNOWN
        inner = Expander(self.machine, self.state, self.depth + 1)
        parts: list[str] = []
        reader = Reader(text, self.machine.meter, has_remarks=False)
        end = 0
        while True:
            token = reader.next()
            if token.kind is TokenKind.END:
                return "".join(parts) + text[end:]
            parts.append(text[end : token.start])
            is_word = token.kind is TokenKind.WORD
            parts.append(inner.text(token.segments, keeps_patterns=keeps_patterns) if is_word else token.text)
            end = token.end
            if not is_word:
                reader.place = end = token.start + len(token.text)
                reader.waiting = []

    def here_text(self, body: str) -> str:
        """An unquoted here-document: values and substitutions, but no quotes and no patterns."""
        if "$" not in body and "`" not in body and "\\" not in body:
            return body
        escaped = body.replace('"', '\\"') if '"' in body else body
        token = Reader(f'"{escaped}"', self.machine.meter).next()
        return self.text(token.segments)

    def _split_fields(self, segments: tuple[Segment, ...]) -> list[str]:
        separators = self._separators()
        done: list[str] = []
        current: str | None = None
        for place, segment in enumerate(segments):
            if segment.kind is Kind.QUOTED:
                current = (current or "") + segment.text
            elif segment.kind is Kind.TEXT:
                text = self._tilde(segment.text) if place == 0 else segment.text
                current = (current or "") + activated(text)
            else:
                values, apart = self._values(segment)
                if segment.is_quoted:
                    pieces = list(values) if apart else [separators[:1].join(values)]
                    starts = ends = False
                else:
                    joined = separators[:1].join(values) if separators else " ".join(values)
                    pieces, starts, ends = _split(joined, separators)
                    pieces = [activated(piece) for piece in pieces]
                self.machine.meter.spend(len(pieces) + sum(map(len, pieces)))
                current = _append(done, current, pieces, starts=starts, ends=ends)
        if current is not None:
            done.append(current)
        return done

    def _separators(self) -> str:
        values = self.state.variables.get("IFS")
        return IFS if values is None else values[0] if values else ""

    def _tilde(self, text: str) -> str:
        match = _TILDE.match(text) if text.startswith("~") else None
        return f"/{UNKNOWN}{text[match.end() :]}" if match else text

    def _values(self, segment: Segment) -> tuple[tuple[str, ...], bool]:
        if segment.kind is Kind.PARAMETER:
            return Parameters(self.state, self.machine.meter, self.raw).values(segment.text)
        if segment.kind is Kind.COMMAND:
            return (self.machine.output_of(segment.text, self.state),), False
        if segment.kind is Kind.PROCESS:
            return (self.machine.file_of(segment.text, self.state),), False
        return (self.arithmetic(segment.text),), False

    def arithmetic(self, expression: str) -> str:
        """The value of an arithmetic expression as text. Substitutions inside are run."""
        text = self.raw(expression)

        def value(match: re.Match[str]) -> str:
            known = Parameters(self.state, self.machine.meter, self.raw).value(match[1] or match[2])
            return known or "0"

        number = computed(_VARIABLE.sub(value, text) if not _OTHER_BASE.search(text) else text)
        return UNKNOWN if number is None else str(number)


def _split(text: str, separators: str) -> tuple[list[str], bool, bool]:
    """The fields of a value, and whether it begins and ends with a separator."""
    if not separators:
        return [text] if text else [], False, False
    if separators == IFS:
        return text.split(), text[:1] in (" ", "\t", "\n"), text[-1:] in (" ", "\t", "\n")
    pieces = re.split(f"[{re.escape(separators)}]", text)
    starts = len(pieces) > 1 and pieces[0] == ""
    ends = len(pieces) > 1 and pieces[-1] == ""
    return [piece for piece in pieces if piece], starts, ends


def _append(done: list[str], current: str | None, pieces: list[str], *, starts: bool, ends: bool) -> str | None:
    """Joins the fields of a value to the text before it. Returns the field that may still grow."""
    if starts and current is not None:
        done.append(current)
        current = None
    if not pieces:
        return current
    first, *rest = pieces
    current = (current or "") + first
    for piece in rest:
        done.append(current)
        current = piece
    if ends:
        done.append(current)
        return None
    return current
