"""Find objects by the names that people use: an import may write a name in place of an id.

    nodes = OrgOwnedList(Node, named=by(("full_value", itself)))

A text that matches several rows is refused by the field. The first lookup that matches a text wins: if `alice` is a
user name, it is not also tried as a display name.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

from django.db import models
from django.db.models import Q


@dataclass(frozen=True, slots=True)
class Naming:
    """How texts name rows."""

    #: Maps texts to the rows that they name.
    find: Callable[[models.QuerySet[Any], Sequence[str]], Mapping[str, Sequence[Any]]]
    #: The text that names a row best.
    text: Callable[[Any], str]

    def texts(self, rows: models.QuerySet[Any], keys: Collection[Any]) -> dict[Any, str]:
        """Key → text, for rows whose text names no other row of `rows`."""
        unique: dict[Any, str] = {}
        ordered = list(dict.fromkeys(keys))
        for start in range(0, len(ordered), _QUERY_KEYS):
            read = rows.in_bulk(ordered[start : start + _QUERY_KEYS])
            texts = {key: self.text(row) for key, row in read.items()}
            named = self.find(rows, list(texts.values()))
            unique |= {key: text for key, text in texts.items() if [row.pk for row in named.get(text, ())] == [key]}
        return unique


#: A column, and a function that extracts the value of this column from the text.
Way = tuple[str, Callable[[str], str | None]]

#: Rows that are looked up with one query.
_QUERY_KEYS: Final = 500
_NAMED: Final = re.compile(r"(?P<name>.*)\((?P<key>[^()]*)\)\Z", re.DOTALL)
#: Separators of a list that was written as text in one cell or field.
_SEPARATORS: Final = re.compile(r"[,;，；、\n]")


def itself(text: str) -> str | None:
    """The whole text."""
    return text


def name_in(text: str) -> str | None:
    """`name` of `name(key)`."""
    match = _NAMED.match(text)
    return match["name"] if match else None


def key_in(text: str) -> str | None:
    """`key` of `name(key)`."""
    match = _NAMED.match(text)
    return match["key"] if match else None


def by(*ways: Way) -> Naming:
    """A naming that tries these lookups in order, the most specific first, with one query for each."""

    def find(rows: models.QuerySet[Any], texts: Sequence[str]) -> dict[str, list[Any]]:
        rows_by_text: dict[str, list[Any]] = {}
        remaining = list(dict.fromkeys(texts))
        for column, part in ways:
            values = {value for text in remaining if (value := part(text))}
            if not values:
                continue
            named: dict[str, dict[Any, Any]] = {}
            for row in rows.filter(Q((f"{column}__in", values))):
                named.setdefault(getattr(row, column), {})[row.pk] = row
            rows_by_text |= {
                text: list(named[value].values()) for text in remaining if (value := part(text) or "") in named
            }
            remaining = [text for text in remaining if text not in rows_by_text]
        return rows_by_text

    return Naming(find, attrgetter(next(column for column, part in ways if part is itself)))


def pairs(first: str, second: str, separator: str = ":") -> Naming:
    """A naming for rows that two columns identify together: `env:prod`."""

    def find(rows: models.QuerySet[Any], texts: Sequence[str]) -> dict[str, list[Any]]:
        wanted = {text: text.split(separator, 1) for text in texts if separator in text}
        if not wanted:
            return {}
        condition = Q()
        for first_value, second_value in wanted.values():
            condition |= Q((first, first_value.strip()), (second, second_value.strip()))
        rows_by_text: dict[str, list[Any]] = {}
        for row in rows.filter(condition):
            for text, (first_value, second_value) in wanted.items():
                if (getattr(row, first), getattr(row, second)) == (first_value.strip(), second_value.strip()):
                    rows_by_text.setdefault(text, []).append(row)
        return rows_by_text

    return Naming(find, lambda row: f"{getattr(row, first)}{separator}{getattr(row, second)}")


def items_of(text: str) -> list[str]:
    """The items of a list that was written as text: `ssh/22, sftp/22`."""
    return [item for part in _SEPARATORS.split(text) if (item := part.strip())]


def joined(items: Iterable[Any]) -> str | None:
    """The list as text; None when an item contains a separator and would be split."""
    texts = [str(item) for item in items]
    return None if any(items_of(text) != [text] for text in texts) else ", ".join(texts)
