"""Patterns of file names in unquoted text, and what `${x#pattern}` and its kin leave over."""

import re
from typing import Final

from postern.kernel.command_control.limits import Meter
from postern.kernel.command_control.marks import ANY, SET_CLOSE, SET_OPEN, STAR, UNKNOWN, could_be, is_literal

#: A set of more characters than that is taken as text, or many `[` would each search to the end of the word.
_ACTIVE: Final = re.compile(r"[?*+@!]\(([^()]*)\)|\*+|\?|\[([!^]?\]?(?:\[:\w+:\]|[^]/]){0,64})\]")
#: Longer values are not cut or replaced: the result is unknown.
_LONGEST_VALUE: Final = 256


def activated(text: str) -> str:
    """Unquoted text with its patterns as marks."""
    if "*" not in text and "?" not in text and "[" not in text and "(" not in text:
        return text
    return _ACTIVE.sub(_mark, text)


def _mark(match: re.Match[str]) -> str:
    text = match[0]
    if match[1] is not None:
        # Of several alternatives none is certain; `@(x)` is x.
        return match[1] if text[0] in "@+" and "|" not in match[1] else STAR
    if text[0] == "*":
        return STAR
    if text == "?":
        return ANY
    if len(match[2]) == 1:
        return match[2]
    return f"{SET_OPEN}{match[2]}{SET_CLOSE}"


def without_start(value: str, pattern: str, *, longest: bool, meter: Meter) -> str:
    """`${x#pattern}` and `${x##pattern}`."""
    if is_literal(pattern):
        return value.removeprefix(pattern) if is_literal(value) or value.startswith(pattern) else UNKNOWN
    if not is_literal(value) or len(value) > _LONGEST_VALUE or UNKNOWN in pattern:
        return UNKNOWN
    ends = range(len(value), -1, -1) if longest else range(len(value) + 1)
    for end in ends:
        meter.spend(end + len(pattern))
        if could_be(pattern, value[:end]):
            return value[end:]
    return value


def without_end(value: str, pattern: str, *, longest: bool, meter: Meter) -> str:
    """`${x%pattern}` and `${x%%pattern}`."""
    if is_literal(pattern):
        return value.removesuffix(pattern) if is_literal(value) or value.endswith(pattern) else UNKNOWN
    if not is_literal(value) or len(value) > _LONGEST_VALUE or UNKNOWN in pattern:
        return UNKNOWN
    starts = range(len(value) + 1) if longest else range(len(value), -1, -1)
    for start in starts:
        meter.spend(len(value) - start + len(pattern))
        if could_be(pattern, value[start:]):
            return value[:start]
    return value


def replaced(value: str, pattern: str, by: str, *, everywhere: bool, meter: Meter) -> str:
    """`${x/pattern/by}` and `${x//pattern/by}`; a pattern may begin with `#` or `%`."""
    if not is_literal(value):
        return UNKNOWN
    anchor = pattern[:1] if pattern[:1] in ("#", "%") and not everywhere else ""
    pattern = pattern[len(anchor) :]
    if is_literal(pattern) and not anchor:
        meter.spend(len(value) + len(by))
        return value.replace(pattern, by, -1 if everywhere else 1) if pattern else value
    if len(value) > _LONGEST_VALUE or UNKNOWN in pattern:
        return UNKNOWN
    result: list[str] = []
    at = 0
    while at < len(value):
        end = _longest_match(value, at, pattern, anchor, meter)
        if end is None:
            result.append(value[at])
            at += 1
            continue
        result.append(by)
        at = end
        if not everywhere:
            break
    return "".join(result) + value[at:]


def _longest_match(value: str, at: int, pattern: str, anchor: str, meter: Meter) -> int | None:
    if anchor == "#" and at:
        return None
    lowest = len(value) - 1 if anchor == "%" else at
    for end in range(len(value), lowest, -1):
        meter.spend(end - at + len(pattern))
        if could_be(pattern, value[at:end]):
            return end
    return None
