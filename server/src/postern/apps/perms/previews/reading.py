"""Rows of link tables by thousands of keys: queries that are compiled once, and ids as the database represents them.

Parsing an id and hashing it costs more than reading it, so ids that are only compared with each other are not parsed.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import QuerySet

from postern.foundation.database.prepared import as_stored
from postern.foundation.database.prepared_keys import TuplesByKey

#: An id as the database represents it: text on SQLite, a UUID on PostgreSQL.
Stored = Any


def stored_ids(ids: Iterable[UUID]) -> list[Stored]:
    """The ids as the database represents them."""
    database = connections[DEFAULT_DB_ALIAS]
    return [as_stored(one, database) for one in ids]


class Ids:
    """Parses ids, each of them once."""

    def __init__(self) -> None:
        self._known: dict[Stored, UUID] = {}

    def of(self, value: Stored) -> UUID:
        """The id of a stored value."""
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = value if isinstance(value, UUID) else UUID(int=int(value, 16))
        return found


class RowsByKey:
    """Columns of the rows that belong to keys, as the database represents them."""

    def __init__(self, build: Callable[[list[Any]], "QuerySet[Any]"], *columns: str) -> None:
        self._query: Final = TuplesByKey(build, columns)

    def rows(self, keys: Collection[Stored]) -> Iterator[tuple[Any, ...]]:
        """The rows of these keys."""
        return self._query.stored(list(keys)) if keys else iter(())


def instant(value: datetime) -> datetime:
    """A stored instant: SQLite stores no time zone."""
    return value if value.tzinfo is not None else value.replace(tzinfo=UTC)
