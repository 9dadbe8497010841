"""To-many relations of a page of rows, read with queries that are compiled once.

Django's own prefetching takes longer to build its queries and managers for fifteen rows than the database needs for them.
A viewset declares what its list shows:

    page_relations = (
        Related("labels", Asset.labels.through, key="asset_id", to=Label, through="label", columns=("id", "name"), order=("label__name",)),
        Related("protocol_rows", AssetProtocol, key="asset_id", columns=("id", "name", "port"), order=("position",)),
    )

and its serializer reads them with `representation.prefetched`. The objects hold the named columns, anything else is read when asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Model, Q, QuerySet

from postern.foundation.prepared import PreparedQuery

#: Numbers of rows that a query is compiled for; a page is filled up to the next with its last key.
_SIZES: Final = (1, 4, 16, 32, 64, 128, 1_024)


@dataclass(frozen=True, eq=False)
class Related:
    """One relation: the `table` whose column `key` names the row, and what of it (or of the row `through` it) is shown."""

    relation: str
    table: type[Model]
    key: str
    columns: tuple[str, ...]
    order: tuple[str, ...]
    to: type[Model] | None = None
    through: str | None = None
    _queries: dict[int, PreparedQuery] = field(default_factory=dict, init=False, repr=False)

    def attach(self, rows: Sequence[Model]) -> None:
        """Give each row its related ones."""
        found: dict[Any, list[Model]] = {row.pk: [] for row in rows}
        made: dict[tuple[Any, ...], Model] = {}
        model = self.to or self.table
        keys = list(found)
        for start in range(0, len(keys), _SIZES[-1]):
            part = keys[start : start + _SIZES[-1]]
            for owner, *values in self._query_for(len(part)).tuples(**_named(part)):
                same = tuple(values)  # many rows share a few labels: each of those is one object
                one = made.get(same)
                if one is None:
                    one = made[same] = model.from_db(connection.alias, self.columns, values)
                found[owner].append(one)
        for row in rows:
            vars(row).setdefault("_page_relations", {})[self.relation] = found[row.pk]

    def _query_for(self, count: int) -> PreparedQuery:
        size = next(one for one in _SIZES if one >= count)
        kept = self._queries.get(size)
        if kept is None:
            stand_ins = {f"key{number}": UUID(int=number + 1) for number in range(size)}
            prefix = f"{self.through}__" if self.through else ""
            columns = (self.key, *(f"{prefix}{name}" for name in self.columns))
            kept = self._queries[size] = PreparedQuery(self._rows, stand_ins=stand_ins, columns=columns)
        return kept

    def _rows(self, **keys: Any) -> "QuerySet[Any]":
        rows: QuerySet[Any] = self.table._base_manager.filter(Q((f"{self.key}__in", list(keys.values()))))  # noqa: SLF001 - the documented model API
        return rows.order_by(*self.order)


def _named(keys: Sequence[UUID]) -> dict[str, UUID]:
    """The keys under the names of the stand-ins, the last one repeated for those that are left over."""
    size = next(one for one in _SIZES if one >= len(keys))
    return {f"key{number}": keys[min(number, len(keys) - 1)] for number in range(size)}
