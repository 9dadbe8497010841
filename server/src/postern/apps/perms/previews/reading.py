"""Rows of link tables by thousands of keys: queries that are compiled once."""

from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

from django.db.models import QuerySet

from postern.foundation.database.prepared_keys import TuplesByKey
from postern.foundation.database.stored_ids import Stored


class RowsByKey:
    """Columns of the rows that belong to keys, as the database represents them."""

    def __init__(self, build: Callable[[list[Any]], "QuerySet[Any]"], *columns: str) -> None:
        self._query: Final = TuplesByKey(build, columns)

    def rows(self, keys: Collection[Stored]) -> Iterator[tuple[Any, ...]]:
        """The rows of these keys."""
        return self._query.stored(list(keys)) if keys else iter(())
