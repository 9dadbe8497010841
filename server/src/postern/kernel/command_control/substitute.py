"""The simplest scripts of `sed`: `s/old/new/` with plain text, several joined by `;`."""

import re
from typing import Final

from postern.kernel.command_control.marks import UNKNOWN

_SIMPLE: Final = re.compile(r"s(.)((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1([gp]*)\s*;?\s*", re.DOTALL)
_TRANSLATE: Final = re.compile(r"y/([^/\\]*)/([^/\\]*)/\s*;?\s*")
#: Characters that make a pattern more than plain text. A dot alone is any character.
_ACTIVE: Final = re.compile(r"[\[\]*+?(){}|.]|\\[^/.$^*\[\]\\]")
_WHOLE: Final = {"^": 0, "$": 1}


def substituted(script: str, text: str) -> str:
    """The text after the script, unknown text when the script does more than it seems."""
    at = 0
    while at < len(script):
        match = _SIMPLE.match(script, at)
        if match is None:
            match = _TRANSLATE.match(script, at)
            if match is None or len(match[1]) != len(match[2]):
                return UNKNOWN
            text = text.translate(str.maketrans(match[1], match[2]))
        else:
            changed = _replaced(match[2], match[3], text, everywhere="g" in match[4])
            if changed is None:
                return UNKNOWN
            text = changed
        at = match.end()
    return text


def _replaced(old: str, new: str, text: str, *, everywhere: bool) -> str | None:
    if re.search(r"\\[0-9]", new) or "&" in new:
        return None
    new = re.sub(r"\\(.)", r"\1", new)
    lines = text.removesuffix("\n").split("\n")
    if old in (".*", "^.*$", "^.*", ".*$"):
        return "".join(new + "\n" for _line in lines)
    if old in _WHOLE:
        return "".join((new + line if old == "^" else line + new) + "\n" for line in lines)
    start, end = old.startswith("^"), old.endswith("$") and not old.endswith("\\$")
    plain = old[1:] if start else old
    plain = plain[:-1] if end else plain
    if _ACTIVE.search(plain) or not plain:
        return None
    plain = re.sub(r"\\(.)", r"\1", plain)
    if start or end:
        return "".join(_anchored(line, plain, new, start=start, end=end) + "\n" for line in lines)
    return "".join(line.replace(plain, new, -1 if everywhere else 1) + "\n" for line in lines)


def _anchored(line: str, plain: str, new: str, *, start: bool, end: bool) -> str:
    if start and end:
        return new if line == plain else line
    if start:
        return new + line[len(plain) :] if line.startswith(plain) else line
    return line[: -len(plain)] + new if line.endswith(plain) else line
