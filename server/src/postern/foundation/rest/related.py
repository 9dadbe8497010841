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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, Q, QuerySet

from postern.foundation.prepared import PreparedQuery, as_stored, new_object

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
        attach_all(rows, (self,))

    def read(self, found: Mapping[Any, list[Model]], parts: Iterable[Mapping[str, Any]]) -> None:
        """Fill the lists of `found`, which stand under keys as the database has them; `parts` holds the keys under the names of stand-ins."""
        made: dict[tuple[Any, ...], Model] = {}
        model = self.to or self.table
        for named in parts:
            query = self._query_for(len(named))
            for stored in query.stored(**named):
                same = stored[1:]  # many rows share a few labels: each of those is one object
                one = made.get(same)
                if one is None:
                    one = made[same] = new_object(model, self.columns, query.converted(stored)[1:])
                found[stored[0]].append(one)

    def _query_for(self, size: int) -> PreparedQuery:
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


def attach_all(rows: Sequence[Model], relations: Iterable[Related]) -> None:
    """Give each row its related ones of several relations."""
    database = connections[DEFAULT_DB_ALIAS]
    keys = [as_stored(row.pk, database) for row in rows]
    parts = [_named(keys[start : start + _SIZES[-1]]) for start in range(0, len(keys), _SIZES[-1])]
    for relation in relations:
        found: dict[Any, list[Model]] = {key: [] for key in keys}
        relation.read(found, parts)
        for row, key in zip(rows, keys, strict=True):
            vars(row).setdefault("_page_relations", {})[relation.relation] = found[key]


def _named(keys: Sequence[Any]) -> dict[str, Any]:
    """The keys under the names of the stand-ins, the last one repeated for those that are left over."""
    size = next(one for one in _SIZES if one >= len(keys))
    return {f"key{number}": keys[min(number, len(keys) - 1)] for number in range(size)}
