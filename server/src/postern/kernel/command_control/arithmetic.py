"""Constant arithmetic of `$((…))` and of offsets. Anything but numbers, signs and brackets is not computed."""

import re
from collections.abc import Callable
from typing import Final

_TOKEN: Final = re.compile(r"\s*(0[xX][0-9A-Fa-f]+|\d+#\w+|\d+|[-+*/%()])")
_LONGEST: Final = 200
_LARGEST: Final = 10**12


def computed(expression: str) -> int | None:
    """The value, or None when it cannot be known or is out of range."""
    if len(expression) > _LONGEST:
        return None
    tokens, at = [], 0
    text = expression.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return None
        tokens.append(match[1])
        at = match.end()
    if tokens.count("(") > 20:
        return None
    try:
        value, end = _sum(tokens, 0)
    except (IndexError, ValueError, ZeroDivisionError):
        return None
    return value if end == len(tokens) and abs(value) < _LARGEST else None


def _chain(
    tokens: list[str], at: int, part: Callable[[list[str], int], tuple[int, int]], signs: str
) -> tuple[int, int]:
    value, at = part(tokens, at)
    while at < len(tokens) and tokens[at] in signs:
        sign = tokens[at]
        other, at = part(tokens, at + 1)
        if sign == "+":
            value += other
        elif sign == "-":
            value -= other
        elif sign == "*":
            value *= other
        else:
            quotient = abs(value) // abs(other) * (1 if value * other >= 0 else -1)
            value = quotient if sign == "/" else value - quotient * other
        if abs(value) > _LARGEST:
            raise ValueError
    return value, at


def _sum(tokens: list[str], at: int) -> tuple[int, int]:
    return _chain(tokens, at, _product, "+-")


def _product(tokens: list[str], at: int) -> tuple[int, int]:
    return _chain(tokens, at, _atom, "*/%")


def _atom(tokens: list[str], at: int) -> tuple[int, int]:
    negative = False
    while tokens[at] in ("-", "+"):
        negative ^= tokens[at] == "-"
        at += 1
    if tokens[at] == "(":
        value, at = _sum(tokens, at + 1)
        if tokens[at] != ")":
            raise ValueError
        at += 1
    else:
        value, at = _number(tokens[at]), at + 1
    return (-value if negative else value), at


def _number(text: str) -> int:
    if "#" in text:
        base, digits = text.split("#")
        return int(digits, int(base))
    if text[:2] in ("0x", "0X"):
        return int(text, 16)
    return int(text, 8) if text.startswith("0") and len(text) > 1 else int(text)
