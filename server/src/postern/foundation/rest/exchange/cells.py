r"""Cell values of exported files, with protection against formulas (K71: cells of a file are never formulas).

A text that begins with `=`, `+`, `-`, `@`, a tab or a line end could run as a formula when a person opens the file. In
csv such a text gets an apostrophe in front. In xlsx it is stored as text with the quote-prefix mark, so that it stays
text when it is edited. Reading removes one apostrophe. A text that already looks guarded gets one more, so that every
text survives the round trip: `=1` → `'=1` → `=1`, `'=1` → `''=1` → `'=1`.

This module imports no framework, because the child process that reads imports uses it too.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

#: The types of a cell; None is an empty cell. Numbers and booleans cannot become formulas.
Cell = str | int | float | bool | None

#: Values of exactly these types need no conversion.
PLAIN_TYPES: Final = frozenset({str, int, float, bool, type(None)})

#: Spreadsheets in Chinese and Japanese accept full-width signs as the start of a formula, too.
_FORMULA_STARTS: Final = "=+-@\t\r\n＝＋－＠"
_GUARDED: Final = re.compile(rf"'+[{re.escape(_FORMULA_STARTS)}]")
_SUSPECTS: Final = frozenset(_FORMULA_STARTS + "'")


def starts_formula(text: str) -> bool:
    """Whether a spreadsheet could interpret the text as a formula."""
    return text[:1] != "" and text[0] in _FORMULA_STARTS


def looks_guarded(text: str) -> bool:
    """Whether reading would remove an apostrophe from the text."""
    return text[:1] == "'" and _GUARDED.match(text) is not None


def guarded(text: str) -> str:
    """The text as it is written to a csv file."""
    if not text or text[0] not in _SUSPECTS:
        return text
    return f"'{text}" if starts_formula(text) or looks_guarded(text) else text


def unguarded(text: str) -> str:
    """The text of a cell of a csv file."""
    return text[1:] if looks_guarded(text) else text


def cell_of(value: Any) -> Cell:
    """A value of an API answer as a cell. Lists and maps are written as Python literals: `['a', 'b']`."""
    if value.__class__ in PLAIN_TYPES:
        plain_cell: Cell = value
        return plain_cell
    if value.__class__ is list:
        return repr([item if item.__class__ in PLAIN_TYPES else _plain(item) for item in value])
    if isinstance(value, str):
        return str(value)  # turns lazy and marked strings into plain strings
    plain = _plain(value)
    return plain if isinstance(plain, str) else repr(plain)


def _plain(value: Any) -> Any:
    if value.__class__ in PLAIN_TYPES:
        return value
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return str(value)
