r"""What one cell of a file holds, and how it is kept from becoming a formula (K71). No framework: the reading child uses it too.

A text that begins with `=`, `+`, `-`, `@`, a tab or a line end could run as a formula when a person opens the file. In csv such a
text gets an apostrophe in front; in xlsx it is stored as text with the quote-prefix mark, so that it stays text even when somebody edits
it. Reading takes one apostrophe away again, and a text that looks guarded by itself gets one more, so that every text survives the
round trip: `=1` → `'=1` → `=1`, `'=1` → `''=1` → `'=1`.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

#: What a cell can hold; None is an empty cell. Numbers and truth values are no text and cannot be formulas.
Cell = str | int | float | bool | None

#: Values of exactly these types are cells already.
PLAIN_TYPES: Final = frozenset({str, int, float, bool, type(None)})

#: Full-width signs start formulas, too, where people write Chinese or Japanese.
_FORMULA_STARTS: Final = "=+-@\t\r\n＝＋－＠"
_GUARDED: Final = re.compile(rf"'+[{re.escape(_FORMULA_STARTS)}]")
_SUSPECTS: Final = frozenset(_FORMULA_STARTS + "'")


def starts_formula(text: str) -> bool:
    """Whether a spreadsheet could take the text for a formula."""
    return text[:1] != "" and text[0] in _FORMULA_STARTS


def looks_guarded(text: str) -> bool:
    """Whether reading would take an apostrophe away."""
    return text[:1] == "'" and _GUARDED.match(text) is not None


def guarded(text: str) -> str:
    """The text as it stands in a csv file."""
    if not text or text[0] not in _SUSPECTS:
        return text
    return f"'{text}" if starts_formula(text) or looks_guarded(text) else text


def unguarded(text: str) -> str:
    """The text that a cell means."""
    return text[1:] if looks_guarded(text) else text


def cell_of(value: Any) -> Cell:
    """One value of an answer as a cell: lists and maps as Python writes them, `['a', 'b']`."""
    if value.__class__ in PLAIN_TYPES:
        plain_cell: Cell = value
        return plain_cell
    if value.__class__ is list:
        return repr([one if one.__class__ in PLAIN_TYPES else _plain(one) for one in value])
    if isinstance(value, str):
        return str(value)  # a lazy or marked text becomes a plain one
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
