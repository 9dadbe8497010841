"""Brace expansion of a word: `{a,b}`, `{1..3}`, nested and beside other text. Unquoted text only."""

import itertools
import re
from typing import Final

from postern.kernel.command_control.limits import MAX_BRACE_WORDS, Meter
from postern.kernel.command_control.reader import Kind, Segment

_RANGE: Final = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?\Z")
_MARKS: Final = re.compile(r"[{},]")
_Units = tuple[Segment | str, ...]


class TooManyWords(Exception):
    """Braces beyond the limit. The caller marks the line."""


def braced(segments: tuple[Segment, ...], meter: Meter) -> list[tuple[Segment, ...]]:
    """The words into which the braces of a word expand; the word itself when there are none."""
    if not any(segment.kind is Kind.TEXT and "{" in segment.text for segment in segments):
        return [segments]
    units = _units(segments)
    meter.spend(len(units))
    return [_joined(word) for word in _expanded(units, meter)]


def _units(segments: tuple[Segment, ...]) -> _Units:
    """Segments, with the braces and commas of unquoted text as strings of their own."""
    units: list[Segment | str] = []
    for segment in segments:
        if segment.kind is not Kind.TEXT:
            units.append(segment)
            continue
        at = 0
        for match in _MARKS.finditer(segment.text):
            if match.start() > at:
                units.append(Segment(Kind.TEXT, segment.text[at : match.start()]))
            units.append(match[0])
            at = match.end()
        if at < len(segment.text):
            units.append(Segment(Kind.TEXT, segment.text[at:]))
    return tuple(units)


def _joined(units: _Units) -> tuple[Segment, ...]:
    joined: list[Segment] = []
    for unit in units:
        segment = Segment(Kind.TEXT, unit) if isinstance(unit, str) else unit
        if joined and segment.kind is Kind.TEXT and joined[-1].kind is Kind.TEXT:
            joined[-1] = Segment(Kind.TEXT, joined[-1].text + segment.text)
        else:
            joined.append(segment)
    return tuple(joined)


def _expanded(units: _Units, meter: Meter) -> list[_Units]:
    """Depth first from the first group that is one: the order of words is that of the shell."""
    done: list[_Units] = []
    waiting: list[_Units] = [units]
    while waiting:
        word = waiting.pop()
        meter.spend(len(word) + 1)
        group = _first_group(word)
        if group is None:
            done.append(word)
        else:
            start, end, choices = group
            waiting.extend((*word[:start], *choice, *word[end + 1 :]) for choice in reversed(choices))
        if len(done) + len(waiting) > MAX_BRACE_WORDS:
            raise TooManyWords
    return done


def _first_group(word: _Units) -> tuple[int, int, list[_Units]] | None:
    stack: list[tuple[int, list[int]]] = []
    groups: list[tuple[int, int, list[int]]] = []
    for at, unit in enumerate(word):
        if unit == "{":
            stack.append((at, []))
        elif unit == "," and stack:
            stack[-1][1].append(at)
        elif unit == "}" and stack:
            start, commas = stack.pop()
            if commas or _is_range(word, start, at):
                groups.append((start, at, commas))
    if not groups:
        return None
    start, end, commas = min(groups)
    if not commas:
        return start, end, _range(word[start + 1])
    edges = [start, *commas, end]
    return start, end, [word[left + 1 : right] for left, right in itertools.pairwise(edges)]


def _is_range(word: _Units, start: int, end: int) -> bool:
    inside = word[start + 1]
    return end == start + 2 and isinstance(inside, Segment) and _RANGE.match(inside.text) is not None


def _range(inside: Segment | str) -> list[_Units]:
    match = _RANGE.match(inside.text) if isinstance(inside, Segment) else None
    if match is None:
        return []
    is_number = match[1].lstrip("-").isdigit() and match[2].lstrip("-").isdigit()
    if is_number and max(len(match[1]), len(match[2])) > 9:
        raise TooManyWords
    if not is_number and (len(match[1]) > 1 or len(match[2]) > 1 or match[1].isdigit() or match[2].isdigit()):
        return [(Segment(Kind.QUOTED, "{" + match[0] + "}", is_quoted=True),)]
    first, last = (int(match[1]), int(match[2])) if is_number else (ord(match[1]), ord(match[2]))
    step = abs(int((match[3] or "1")[:6])) or 1
    if abs(last - first) // step >= MAX_BRACE_WORDS:
        raise TooManyWords
    numbers = range(first, last + (1 if last >= first else -1), step if last >= first else -step)
    return [(Segment(Kind.QUOTED, str(number) if is_number else chr(number), is_quoted=True),) for number in numbers]
