"""Objects by the names that people use: what an import may write in place of an id.

    nodes = OrgOwnedList(Node, named=by(("full_value", itself)))

A naming finds rows for texts, several when a name is not unique; the field refuses those. The first way that finds something decides
about a text: a user name is not also somebody else's display name.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from django.db import models
from django.db.models import Q

#: Text → the rows that it names.
Naming = Callable[[models.QuerySet[Any], Sequence[str]], Mapping[str, Sequence[Any]]]
#: A column, and the part of the text that must stand in it.
Way = tuple[str, Callable[[str], str | None]]

_NAMED: Final = re.compile(r"(?P<name>.*)\((?P<key>[^()]*)\)\Z", re.DOTALL)
#: Between the items of a list in one cell or field of text.
_SEPARATORS: Final = re.compile(r"[,;，；、\n]")


def itself(text: str) -> str | None:
    """The whole text."""
    return text


def name_in(text: str) -> str | None:
    """`name` of `name(key)`."""
    found = _NAMED.match(text)
    return found["name"] if found else None


def key_in(text: str) -> str | None:
    """`key` of `name(key)`."""
    found = _NAMED.match(text)
    return found["key"] if found else None


def by(*ways: Way) -> Naming:
    """The naming that tries these ways, the surest first; one query for each."""

    def find(rows: models.QuerySet[Any], texts: Sequence[str]) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        left = list(dict.fromkeys(texts))
        for column, part in ways:
            values = {value for text in left if (value := part(text))}
            if not values:
                continue
            named: dict[str, dict[Any, Any]] = {}
            for row in rows.filter(Q((f"{column}__in", values))):
                named.setdefault(getattr(row, column), {})[row.pk] = row
            found |= {text: list(named[value].values()) for text in left if (value := part(text) or "") in named}
            left = [text for text in left if text not in found]
        return found

    return find


def pairs(first: str, second: str, separator: str = ":") -> Naming:
    """The naming of rows that two columns name together: `env:prod`."""

    def find(rows: models.QuerySet[Any], texts: Sequence[str]) -> dict[str, list[Any]]:
        wanted = {text: text.split(separator, 1) for text in texts if separator in text}
        if not wanted:
            return {}
        condition = Q()
        for one, other in wanted.values():
            condition |= Q((first, one.strip()), (second, other.strip()))
        found: dict[str, list[Any]] = {}
        for row in rows.filter(condition):
            for text, (one, other) in wanted.items():
                if (getattr(row, first), getattr(row, second)) == (one.strip(), other.strip()):
                    found.setdefault(text, []).append(row)
        return found

    return find


def items_of(text: str) -> list[str]:
    """The items of a list that was written as one text: `ssh/22, sftp/22`."""
    return [item for part in _SEPARATORS.split(text) if (item := part.strip())]


def joined(items: Iterable[Any]) -> str | None:
    """The text of a list for people; None when an item would be taken for several."""
    texts = [str(item) for item in items]
    return None if any(items_of(text) != [text] for text in texts) else ", ".join(texts)
