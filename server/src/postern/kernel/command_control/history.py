"""History expansion (`!!`, `!$`, `^old^new`) from the lines of this session.

The host's own history file is not known: a reference to an older line becomes unknown text.
"""

import re
from dataclasses import dataclass
from typing import Final

from postern.kernel.command_control.limits import MAX_LINE_CHARACTERS, Meter
from postern.kernel.command_control.marks import UNKNOWN
from postern.kernel.command_control.reader import Reader, TokenKind

_QUICK: Final = re.compile(r"\^([^^]*)\^([^^]*)(?:\^(.*))?\Z", re.DOTALL)
_EVENT: Final = re.compile(
    r"!(?:(!)|(#)|(-?\d+)|\?([^?\n]*)\??|([^\s:^$*%=(;&|<>\"'!-][^\s:;&|<>\"'()]*)|(?=[$^*:%-]))"
)
_WORDS: Final = re.compile(r":?([$^*%])|:(\d+)?-(\d+|\$)?|:(\d+)(-|\*)?(\d+|\$)?")
_MODIFIER: Final = re.compile(r":(?:(g?)s(.)|(gs|[ag])?(&)|([htreqxplu]))")


@dataclass(slots=True)
class Expanded:
    """The line after history expansion."""

    text: str
    is_known: bool = True


def expanded(line: str, history: tuple[str, ...], meter: Meter) -> Expanded:
    """Replaces the references of a line. Text in single quotes and after a backslash stays."""
    quick = _QUICK.match(line) if line.startswith("^") else None
    if quick:
        if not history or history[-1] == UNKNOWN:
            return Expanded(UNKNOWN, is_known=False)
        meter.spend(len(history[-1]))
        changed = history[-1].replace(quick[1], quick[2], 1) if quick[1] else history[-1]
        return Expanded(changed + (quick[3] or ""))
    if "!" not in line:
        return Expanded(line)
    return _replaced(line, history, meter)


def _replaced(line: str, history: tuple[str, ...], meter: Meter) -> Expanded:
    parts: list[str] = []
    is_known, quote, at, size = True, "", 0, 0
    while at < len(line):
        meter.spend(1)
        character = line[at]
        if character == "\\" and quote != "'":
            parts.append(line[at : at + 2])
            at += 2
            continue
        if character in "'\"" and quote in ("", character):
            quote = "" if quote else character
        match = _EVENT.match(line, at) if character == "!" and quote != "'" else None
        if match is None or (quote == '"' and line[at + 1 : at + 2] == '"') or _is_parameter(line, at):
            parts.append(character)
            at += 1
            continue
        text, at = _referenced(match, line, "".join(parts), history, meter)
        is_known = is_known and text is not None
        text = UNKNOWN if text is None else text
        size += len(text)
        parts.append(text)
        if size > MAX_LINE_CHARACTERS:
            return Expanded(UNKNOWN, is_known=False)
    return Expanded("".join(parts), is_known)


def _is_parameter(line: str, at: int) -> bool:
    """`$!`, `${!x}` and `[!a]` are no history."""
    return at > 0 and (line[at - 1] in "$[" or line[max(0, at - 2) : at] == "${")


def _referenced(
    match: re.Match[str], line: str, before: str, history: tuple[str, ...], meter: Meter
) -> tuple[str | None, int]:
    """The text of one reference (None when not known), and the place behind it."""
    event = _event(match, before, history, meter)
    event = None if event == UNKNOWN else event
    at = match.end()
    words = _WORDS.match(line, at)
    is_bare = match[0] == "!"
    if words and (words[0][:1] == ":" or is_bare or match[1] or match[2] or words[1] in ("$", "^", "*")):
        at = words.end()
        event = None if event is None else _chosen(words, event, meter)
    while True:
        modifier = _MODIFIER.match(line, at)
        if modifier is None:
            return event, at
        event, at = _modified(event, modifier, line)


def _event(match: re.Match[str], before: str, history: tuple[str, ...], meter: Meter) -> str | None:
    meter.spend(sum(map(len, history[-20:])))
    if match[2]:
        return before
    if match[3]:
        number = int(match[3][:8])
        return history[number] if -len(history) <= number < 0 else None
    if match[4] is not None:
        return next((line for line in reversed(history) if match[4] in line), None)
    if match[5]:
        return next((line for line in reversed(history) if line.startswith(match[5])), None)
    return history[-1] if history else None


def _split(line: str, meter: Meter) -> list[str]:
    """The words of a line as the history sees them: operators are words."""
    reader = Reader(line, meter, has_remarks=False)
    words: list[str] = []
    while True:
        token = reader.next()
        if token.kind is TokenKind.END:
            return words
        words.append(line[token.start : reader.place] if token.kind is TokenKind.WORD else token.text)
        if token.kind is TokenKind.REDIRECTION:
            reader.place = token.start + len(token.text)
            reader.waiting = []


def _chosen(match: re.Match[str], event: str, meter: Meter) -> str | None:
    words = _split(event, meter)
    last = len(words) - 1
    if match[1]:
        first_last = {"$": (last, last), "^": (1, 1), "*": (1, last), "%": (last, last)}[match[1]]
    elif match[4] is None:
        end = match[3]
        first_last = (int((match[2] or "0")[:4]), last - 1 if end is None else last if end == "$" else int(end[:4]))
    else:
        start = int(match[4][:4])
        if match[5] == "*":
            first_last = (start, last)
        elif match[5] == "-":
            first_last = (start, last - 1 if match[6] is None else last if match[6] == "$" else int(match[6][:4]))
        else:
            first_last = (start, start)
    first, end_place = first_last
    return None if end_place > last else " ".join(words[first : end_place + 1])


def _modified(event: str | None, match: re.Match[str], line: str) -> tuple[str | None, int]:
    at = match.end()
    if match[2]:
        separator = match[2]
        old, _, rest = line[at:].partition(separator)
        new, closed, _ = rest.partition(separator)
        new = new if closed else new.split("\n", 1)[0]
        at = min(len(line), at + len(old) + 1 + len(new) + (1 if closed else 0))
        return None if event is None else event.replace(old, new, -1 if match[1] else 1), at
    letter = match[5]
    if event is None or letter is None:
        return None, at
    if letter == "h":
        return event.rpartition("/")[0] or event, at
    if letter == "t":
        return event.rpartition("/")[2], at
    if letter == "r":
        return event.rpartition(".")[0] or event, at
    if letter == "e":
        return "".join(event.rpartition(".")[1:]), at
    return event, at
