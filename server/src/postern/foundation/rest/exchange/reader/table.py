"""From rows of cells to the result of an import: titles with their fields, and a map of values for each row."""

import ast
import contextlib
import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from postern.foundation.rest.exchange.cells import unguarded
from postern.foundation.rest.exchange.reader.limits import MAX_CELL_CHARS, MAX_COLUMNS, MAX_ROWS
from postern.foundation.rest.exchange.reader.problems import Unreadable

_REQUIRED_MARKS: Final = "*＊"
_OPENING: Final = {"[": "]", "{": "}"}
_PLAIN_QUOTES: Final = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "，": ","})
_MAX_DEPTH: Final = 16
#: Separators of a list that is written as text.
_SEPARATORS: Final = re.compile(r"[,;，；、\n]")
_MAX_STRUCTURE_CHARS: Final = 200_000


@dataclass(frozen=True, slots=True)
class KnownColumns:
    """The columns of the resource: normalized title → field, and the fields whose cells hold lists or maps."""

    fields: Mapping[str, str]
    structured: frozenset[str]
    #: Fields that hold plain lists, such as `ssh/22, sftp/22`.
    lists: frozenset[str] = frozenset()
    #: Field → normalized label of a choice, in each language → value.
    choices: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)

    def field_of(self, title: str) -> str:
        """The field with this title; empty when there is none."""
        return self.fields.get(normal(title), "")

    def meant(self, name: str, value: Any) -> Any:
        """The value of a cell of this field: lists may be written as text, choices by their labels."""
        if name in self.lists and isinstance(value, str):
            value = [item for part in _SEPARATORS.split(value) if (item := part.strip())]
        labels = self.choices.get(name)
        if not labels:
            return value
        if isinstance(value, list):
            return [labels.get(normal(item), item) if isinstance(item, str) else item for item in value]
        return labels.get(normal(value), value) if isinstance(value, str) else value

    def count(self, titles: Sequence[str]) -> int:
        """How many of the titles name a field."""
        return sum(1 for title in titles if self.field_of(title))


def normal(title: str) -> str:
    """A title without required mark, line breaks and superfluous blanks, in lower case."""
    return " ".join(title.replace("\ufeff", "").split()).lstrip(_REQUIRED_MARKS).strip().casefold()


def header(rows: Iterator[tuple[int, list[str]]], known: KnownColumns) -> list[tuple[str, str]]:
    """[column text, field] of the first row that is not empty. Raises Unreadable."""
    for _number, cells in rows:
        titles = _without_empty_end([unguarded(cell).strip() for cell in cells])
        if titles:
            break
    else:
        raise Unreadable("empty")
    if len(titles) > MAX_COLUMNS:
        raise Unreadable("columns", most=MAX_COLUMNS)
    pairs = [(title, known.field_of(title)) for title in titles]
    seen: set[str] = set()
    for title, field in pairs:
        if field and field in seen:
            raise Unreadable("twice", title=title[:64])
        seen.add(field)
    if not seen - {""}:
        raise Unreadable("no_known_column")
    return pairs


def values(
    rows: Iterable[tuple[int, list[str]]], pairs: Sequence[tuple[str, str]], known: KnownColumns
) -> Iterator[dict[str, Any]]:
    """A map of field → value for each row that has any value. Raises Unreadable."""
    count = 0
    for number, cells in rows:
        if len(cells) > len(pairs) and any(cell.strip() for cell in cells[len(pairs) :]):
            raise Unreadable("too_many_cells", line=number)
        row = {
            name: known.meant(name, value_of(cell, structured=name in known.structured))
            for (_title, name), cell in zip(pairs, cells, strict=False)
            if name and cell and not cell.isspace()
        }
        if not row:
            continue
        count += 1
        if count > MAX_ROWS:
            raise Unreadable("rows", most=MAX_ROWS)
        yield row


def value_of(cell: str, *, structured: bool) -> Any:
    """The value of a non-empty cell: its text, or for `structured` fields the list or map that the text represents."""
    if len(cell) > MAX_CELL_CHARS:
        raise Unreadable("cell_too_long", line=0)
    text = unguarded(cell)
    if not structured:
        return text
    spelled = text.strip()
    if _OPENING.get(spelled[:1]) != spelled[-1:] or len(spelled) > _MAX_STRUCTURE_CHARS:
        return text
    for candidate in (spelled, spelled.translate(_PLAIN_QUOTES)):
        structure = _structure(candidate)
        if structure is not None:
            return structure
    return text


def _structure(text: str) -> Any:
    """The list or map that the text is in JSON or Python syntax; None when it is neither. Nothing is executed."""
    if _depth(text) > _MAX_DEPTH:
        return None
    with contextlib.suppress(ValueError):
        return _plain(json.loads(text, parse_constant=_refuse))
    try:
        structure = _plain(ast.literal_eval(text))
    except (
        ValueError,
        SyntaxError,
        TypeError,
        MemoryError,
        RecursionError,
    ):  # the last two: for example thousands of repeated signs
        return None
    return structure if isinstance(structure, list | dict) else None


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _depth(text: str) -> int:
    deepest = depth = 0
    for character in text:
        if character in "[{(":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]})":
            depth -= 1
    return deepest


def _plain(value: Any) -> Any:
    """The value, if JSON can represent it. Raises ValueError otherwise."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and value - value == 0:  # neither infinite nor NaN
        return value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _plain(item) for key, item in value.items()}
    raise ValueError(type(value).__name__)


def _without_empty_end(titles: list[str]) -> list[str]:
    while titles and not titles[-1]:
        titles.pop()
    return titles
