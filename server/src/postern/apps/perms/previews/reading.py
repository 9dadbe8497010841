"""Rows of link tables by thousands of keys: queries that are compiled once."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from django.db.models import QuerySet

from postern.foundation.database.prepared import Value
from postern.foundation.database.prepared_keys import TuplesByKey
from postern.foundation.database.stored_ids import Stored


class RowsByKey:
    """Columns of the rows that belong to keys, as the database represents them."""

    def __init__(
        self, build: Callable[..., "QuerySet[Any]"], *columns: str, more: Mapping[str, Value] | None = None
    ) -> None:
        self._query: Final = TuplesByKey(build, columns, more=more or {})

    def rows(self, keys: Collection[Stored], **more: Value) -> Iterator[tuple[Any, ...]]:
        """The rows of these keys. `more`: the values of further placeholders."""
        return self._query.stored(list(keys), **more) if keys else iter(())
