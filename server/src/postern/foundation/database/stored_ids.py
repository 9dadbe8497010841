"""Ids and instants as the database represents them: text on SQLite, UUIDs on PostgreSQL.

Parsing an id and hashing it costs more than reading it, so ids that are only compared with each other are not parsed.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections

from postern.foundation.database.prepared import as_stored

#: An id as the database represents it.
Stored = Any


def stored_ids(ids: Iterable[UUID]) -> list[Stored]:
    """The ids as the database represents them."""
    database = connections[DEFAULT_DB_ALIAS]
    return [as_stored(object_id, database) for object_id in ids]


class Ids:
    """Parses ids, each of them once."""

    def __init__(self) -> None:
        self._known: dict[Stored, UUID] = {}

    def of(self, value: Stored) -> UUID:
        """The id of a stored value."""
        parsed = self._known.get(value)
        if parsed is None:
            parsed = self._known[value] = value if isinstance(value, UUID) else UUID(int=int(value, 16))
        return parsed


def instant(value: datetime) -> datetime:
    """A stored instant: SQLite stores no time zone."""
    return value if value.tzinfo is not None else value.replace(tzinfo=UTC)
