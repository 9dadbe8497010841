"""Complete rows by primary key, with queries that are compiled once for each number of keys (see `prepared`)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, QuerySet

from postern.foundation.database.prepared import PreparedObjects, PreparedQuery, Value, as_stored

#: Sizes for which a query is compiled. A shorter list of keys is padded to the next size with its last key.
_SIZES: Final = (1, 2, 16, 32, 64, 128, 1_024)
#: Maximum number of keys in one query.
MOST_KEYS: Final = _SIZES[-1]

_NONE: Final[Mapping[str, Value]] = {}
_Row = TypeVar("_Row", bound=Model)


class PreparedByKey(Generic[_Row]):
    """Rows of a model by primary key. `build(keys)` makes the queryset.

    `more` are placeholders for further values: `build(keys, org_id=…)`. They must differ from small UUIDs and numbers,
    which are the placeholders of the keys.
    """

    def __init__(
        self,
        model: type[_Row],
        build: Callable[..., "QuerySet[Any]"],
        *,
        with_related: Sequence[str] = (),
        more: Mapping[str, Value] = _NONE,
    ) -> None:
        self._model = model
        self._build = build
        self._with_related = with_related
        self._more = more
        self._queries: dict[int, PreparedObjects[_Row]] = {}

    def rows(self, keys: Iterable[Any], **more: Value) -> list[_Row]:
        """The rows that exist, in the order of the queryset within each `MOST_KEYS` keys."""
        database = connections[DEFAULT_DB_ALIAS]
        wanted = [as_stored(key, database) for key in keys]
        loaded_rows: list[_Row] = []
        for start in range(0, len(wanted), MOST_KEYS):
            chunk = wanted[start : start + MOST_KEYS]
            size = next(compiled_size for compiled_size in _SIZES if compiled_size >= len(chunk))
            named = {f"key{number}": chunk[min(number, len(chunk) - 1)] for number in range(size)}
            loaded_rows += self._query(size).all(**named, **more)
        return loaded_rows

    def _query(self, size: int) -> PreparedObjects[_Row]:
        query = self._queries.get(size)
        if query is None:

            def build(**values: Any) -> "QuerySet[Any]":
                more = {name: values.pop(name) for name in self._more}
                return self._build(list(values.values()), **more)

            query = self._queries[size] = PreparedObjects(
                self._model,
                build,
                stand_ins={**stand_ins(self._model, size), **self._more},
                with_related=self._with_related,
            )
        return query


def stand_ins(model: type[Model], size: int) -> dict[str, Any]:
    """Placeholder keys that no row has, for compiling a query once."""
    column: Any = model._meta.pk  # noqa: SLF001 - the documented model API
    while column.remote_field:
        column = column.remote_field.model._meta.pk  # noqa: SLF001 - the documented model API
    by_number = column.get_internal_type().endswith("AutoField")
    return {f"key{number}": 2_000_000_000 + number if by_number else UUID(int=number + 1) for number in range(size)}


class TuplesByKey:
    """Some columns of the rows that belong to keys, as the database represents them: without converting each value.

    `build(keys)` makes the queryset; `columns` are the columns of the result. `more` are placeholders for further values,
    as in `PreparedByKey`.
    """

    def __init__(
        self, build: Callable[..., "QuerySet[Any]"], columns: tuple[str, ...], *, more: Mapping[str, Value] = _NONE
    ) -> None:
        self._build = build
        self._columns = columns
        self._more = more
        self._queries: dict[int, PreparedQuery] = {}

    def stored(self, keys: Sequence[Any], **more: Value) -> Iterator[tuple[Any, ...]]:
        """The rows of these keys, which are given as the database represents them (see `as_stored`)."""
        for start in range(0, len(keys), MOST_KEYS):
            chunk = keys[start : start + MOST_KEYS]
            size = next(compiled_size for compiled_size in _SIZES if compiled_size >= len(chunk))
            yield from self._query(size).stored(
                **{f"key{number}": chunk[min(number, len(chunk) - 1)] for number in range(size)}, **more
            )

    def _query(self, size: int) -> PreparedQuery:
        query = self._queries.get(size)
        if query is None:

            def build(**values: Any) -> "QuerySet[Any]":
                more = {name: values.pop(name) for name in self._more}
                return self._build(list(values.values()), **more)

            keys = {f"key{number}": UUID(int=number + 1) for number in range(size)}
            query = self._queries[size] = PreparedQuery(build, stand_ins={**keys, **self._more}, columns=self._columns)
        return query
