"""Where a quoted or nested part of a line ends. Each function looks at a character once."""

import re
from typing import Final

from postern.kernel.command_control.limits import Meter

_INTERESTING: Final = re.compile(r"""['"`\\(){}#]|\bcase\b|\besac\b|\$\{|\$'|\$\(""")
_COMMAND_START: Final = re.compile(r"(?:^|[;&|(\n]|\b(?:do|then|else|if|while|until)\s)\s*\Z")


def closing(text: str, start: int, closer: str, meter: Meter) -> int:
    """The place of the `)` or `}` that ends what began before `start`; -1 when it never ends.

    Knows quotes, escapes, nesting, comments, and the patterns of `case` with their single `)`.
    """
    stack: list[str] = [closer]
    cases = [0]
    at = start
    while True:
        match = _INTERESTING.search(text, at)
        if match is None:
            meter.spend(len(text) - at)
            return -1
        meter.spend(match.end() - at)
        mark, at = match[0], match.end()
        if mark == "\\":
            at += 1
        elif mark == stack[-1]:
            if mark == ")" and cases[-1]:
                continue
            stack.pop()
            cases.pop()
            if not stack:
                return at - 1
        else:
            at = _inside(text, match, stack, cases, meter)
            if at < 0:
                return -1


def _inside(text: str, match: re.Match[str], stack: list[str], cases: list[int], meter: Meter) -> int:
    """Handles a mark that does not end the innermost part. Returns where to go on, or -1."""
    mark, at = match[0], match.end()
    quoted = stack[-1] == '"'
    if mark in ("$(", "${"):
        stack.append(")" if mark == "$(" else "}")
        cases.append(0)
    elif mark == "`":
        stack.append("`")
        cases.append(0)
    elif quoted:
        pass
    elif mark in ("'", "$'"):
        return single_quote_end(text, at, escapes=mark == "$'", meter=meter)
    elif mark == '"':
        stack.append('"')
        cases.append(0)
    elif mark == "(":
        stack.append(")")
        cases.append(0)
    elif mark == "#" and stack[-1] == ")" and text[at - 2 : at - 1] in (" ", "\t", "\n", ";"):
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    elif mark == "case" and stack[-1] == ")" and _COMMAND_START.search(text, max(0, at - 24), at - 4):
        cases[-1] += 1
    elif mark == "esac" and cases[-1]:
        cases[-1] -= 1
    return at


def single_quote_end(text: str, start: int, *, escapes: bool, meter: Meter) -> int:
    """The place after the closing `'`, or -1."""
    at = start
    while True:
        end = text.find("'", at)
        meter.spend((end if end >= 0 else len(text)) - at + 1)
        if end < 0:
            return -1
        if not escapes:
            return end + 1
        backslashes = 0
        while end - 1 - backslashes >= start and text[end - 1 - backslashes] == "\\":
            backslashes += 1
        meter.spend(backslashes)
        if backslashes % 2 == 0:
            return end + 1
        at = end + 1


def backtick_end(text: str, start: int, meter: Meter) -> int:
    """The place of the closing backtick, or -1."""
    at = start
    while at < len(text):
        meter.spend(1)
        if text[at] == "\\":
            at += 2
        elif text[at] == "`":
            return at
        else:
            at += 1
    return -1
