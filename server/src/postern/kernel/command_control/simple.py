"""Reads a simple command: assignments, words, redirections."""

import re
from dataclasses import dataclass, field
from typing import Final

from postern.kernel.command_control.block import Block
from postern.kernel.command_control.expansion import Expander
from postern.kernel.command_control.limits import MAX_TEXT_CHARACTERS
from postern.kernel.command_control.marks import UNKNOWN
from postern.kernel.command_control.reader import HereDocument, Kind, Reader, Segment, Token, TokenKind
from postern.kernel.command_control.state import ShellState

_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)(\[[^]]*\])?(\+?)=")
_MAX_WORDS: Final = 4096
Segments = tuple[Segment, ...]


@dataclass(slots=True)
class Parts:
    """A simple command before expansion."""

    assignments: list[tuple[str, Segments, bool]] = field(default_factory=list)
    words: list[Segments] = field(default_factory=list)
    redirections: list[tuple[str, Segments]] = field(default_factory=list)
    #: Here-documents, filled at the next line break.
    here: list[HereDocument] = field(default_factory=list)
    #: Whether a pipe follows, so that the command runs in a shell of its own.
    is_piped: bool = False


def split_assignment(segments: Segments) -> tuple[str, Segments, bool] | None:
    """Name, value and whether it appends, when a word is an assignment."""
    if not segments or segments[0].kind is not Kind.TEXT:
        return None
    match = _ASSIGNMENT.match(segments[0].text)
    if match is None:
        return None
    rest = segments[0].text[match.end() :]
    value = (Segment(Kind.TEXT, rest), *segments[1:]) if rest else segments[1:]
    return match[1] + (match[2] or ""), value, bool(match[3])


def read_simple(block: Block, token: Token) -> Parts:
    """Reads up to the operator that ends the command, which is left to the caller."""
    parts = Parts()
    count = 0
    while True:
        count += 1
        if token.kind is TokenKind.END or token.kind is TokenKind.OPERATOR:
            block.reader.place = token.start
            break
        if token.kind is TokenKind.REDIRECTION:
            parts.redirections.append((_sign(token.text), token.segments))
            if token.here is not None:
                parts.here.append(token.here)
        else:
            assignment = None if parts.words else split_assignment(token.segments)
            if assignment is not None:
                parts.assignments.append(assignment)
            elif count < _MAX_WORDS:
                parts.words.append(token.segments)
        is_before = not parts.words
        token = block.take_command_word() if is_before else block.take_argument()
    if parts.here:
        fill_here(block, parts.here)
    return parts


def _sign(text: str) -> str:
    """The operator of a redirection; descriptor 0 and 1 are implied."""
    return text.lstrip("01")


def fill_here(block: Block, waiting: list[HereDocument]) -> None:
    """Reads ahead to the bodies of here-documents: the command needs them before the rest of its line is run.

    The bodies are cut out of the text, so that the rest of the line can be read in place.
    """
    reader = block.reader
    place, line_end = reader.place, _line_end(reader, reader.place)
    if line_end is None:
        for here in waiting:
            here.body = ""
        reader.waiting = []
        reader.is_open = True
        return
    reader.place, reader.waiting = line_end + 1, waiting
    reader.read_here_documents()
    reader.meter.spend(len(reader.text))
    reader.text = reader.text[: line_end + 1] + reader.text[reader.place :]
    reader.place = place


def _line_end(reader: Reader, place: int) -> int | None:
    """The place of the line break before the bodies."""
    probe = Reader(reader.text, reader.meter, reader.has_remarks, place)
    while True:
        token = probe.next()
        if token.kind is TokenKind.END:
            return None
        if token.kind is TokenKind.OPERATOR and token.text == "\n":
            return token.start


def assign(
    expander: Expander, state: ShellState, name: str, segments: Segments, *, appends: bool, is_uncertain: bool
) -> None:
    """Sets a variable. A value that may or may not be set is unknown afterwards, unless it was the same before."""
    name, _bracket, index = name.partition("[")
    values = _array(expander, segments)
    if values is None:
        values = (expander.text(segments),)
    old = state.variables.get(name)
    if index:
        values = _with_item(old or (), index.rstrip("]"), values[0] if values else "")
    elif appends:
        is_array = _array_text(segments) is not None
        values = (*(old or ()), *values) if is_array else ((old[0] if old else "") + values[0], *(old or ("",))[1:])
    if sum(map(len, values)) > MAX_TEXT_CHARACTERS:
        values = (UNKNOWN,)
    expander.machine.meter.spend(len(values) + 1)
    state.assign(name, values, is_uncertain=is_uncertain)


def _array_text(segments: Segments) -> str | None:
    if segments and segments[0].kind is Kind.TEXT and segments[0].text.startswith("("):
        return segments[0].text[1:].removesuffix(")")
    return None


def _array(expander: Expander, segments: Segments) -> tuple[str, ...] | None:
    text = _array_text(segments)
    if text is None:
        return None
    reader = Reader(text, expander.machine.meter)
    values: list[str] = []
    while True:
        token = reader.next()
        if token.kind is TokenKind.END:
            return tuple(values)
        if token.kind is TokenKind.WORD:
            item = re.match(r"\[[^]]*\]=", token.text)
            fields = expander.fields(token.segments)
            values.extend([fields[0][item.end() :]] if item and fields else fields)


def _with_item(old: tuple[str, ...], index: str, value: str) -> tuple[str, ...]:
    if not index.isdigit() or int(index[:4]) > 200:
        return (*old, value) if old else (value,)
    place = int(index[:4])
    padded = list(old) + [""] * (place + 1 - len(old))
    padded[place] = value
    return tuple(padded)
