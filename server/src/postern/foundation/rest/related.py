"""To-many relations of a page of rows, read with queries that are compiled once.

Django's own prefetching takes longer to build its queries and managers for fifteen rows than the database needs for them.
A viewset declares what its list shows:

    page_relations = (
        Related("labels", Asset.labels.through, key="asset_id", to=Label, through="label", columns=("id", "name"), order=("label__name",)),
        Related("protocol_rows", AssetProtocol, key="asset_id", columns=("name", "port"), order=("position",)),
    )

and its serializer reads them with `representation.prefetched`. The objects hold the named columns; with the id among them anything else is read when
asked for, without it rows of the same values share one object.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, Q, QuerySet

from postern.foundation.prepared import PreparedQuery, as_stored

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
        database = connections[DEFAULT_DB_ALIAS]
        found: dict[Any, list[Model]] = {as_stored(row.pk, database): [] for row in rows}
        made: dict[tuple[Any, ...], Model] = {}
        model = self.to or self.table
        keys = [row.pk for row in rows]
        for start in range(0, len(keys), _SIZES[-1]):
            part = keys[start : start + _SIZES[-1]]
            query = self._query_for(len(part))
            for stored in query.stored(**_named(part)):
                same = stored[1:]  # many rows share a few labels: each of those is one object
                one = made.get(same)
                if one is None:
                    one = made[same] = model.from_db(DEFAULT_DB_ALIAS, self.columns, query.converted(stored)[1:])
                found[stored[0]].append(one)
        for row, related in zip(rows, found.values(), strict=True):
            vars(row).setdefault("_page_relations", {})[self.relation] = related

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
