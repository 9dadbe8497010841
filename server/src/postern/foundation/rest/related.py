"""What hangs on the rows of a page, read with queries that are compiled once.

Django's own prefetching takes longer to build its queries and managers for fifteen rows than the database needs for them. A viewset
says what its rows are shown with, in Django's words:

    rows.select_related("platform").prefetch_related("nodes", Prefetch("labels", Label.objects.only("name", "value")))

and `attach` reads the to-many relations in place of Django: those that are named by themselves, or with a queryset that only chooses columns
and an order or to compare columns with values. Anything else (a join, a path over two relations) is left to Django. `row.nodes.all()` has the rows either way;
`prefetched(row, "nodes")` has them without a manager.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast
from uuid import UUID

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import (
    Count,
    IntegerField,
    ManyToManyField,
    ManyToManyRel,
    ManyToOneRel,
    Model,
    OneToOneRel,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    prefetch_related_objects,
)
from django.db.models.expressions import Col
from django.db.models.functions import Coalesce
from django.db.models.lookups import Exact
from django.db.models.sql.where import AND

from postern.foundation.database.prepared import PreparedQuery, as_stored, new_object

#: Numbers of rows that a query is compiled for; a page is filled up to the next with its last key.
_SIZES: Final = (1, 4, 16, 32, 64, 128, 1_024)
_ALL_COLUMNS: Final = (frozenset[str](), True)

#: What `prefetch_related` takes: a text or a `Prefetch`, whose parts the stubs do not know.
Lookup = Any
#: Columns and their values.
_Condition = tuple[tuple[str, Any], ...]


class Lists(dict[str, Any]):
    """The to-many relations of one row, in the place where Django's managers look for them; querysets are made when asked for."""

    def __init__(self, others: Mapping[str, Any]) -> None:
        super().__init__(others)
        self.rows: dict[str, tuple[type[Model], list[Model]]] = {}

    def __missing__(self, relation: str) -> "QuerySet[Any]":
        model, rows = self.rows[relation]
        made: Any = QuerySet(model=model)
        made._result_cache = rows  # noqa: SLF001 - as Django's prefetching fills it
        made._prefetch_done = True  # noqa: SLF001 - the same
        self[relation] = made
        return made  # type: ignore[no-any-return]  # a queryset

    def pop(self, relation: str, *default: Any) -> Any:
        """A manager that changes its rows drops what was read before."""
        self.rows.pop(relation, None)
        return super().pop(relation, *default)


@dataclass(frozen=True, eq=False)
class _Related:
    """One relation: the `table` whose column `key` names the row, and the `columns` of the `model` that it leads to (`through` a column)."""

    relation: str
    table: type[Model]
    key: str
    model: type[Model]
    columns: tuple[str, ...]
    order: tuple[str, ...]
    through: str = ""
    is_single: bool = False
    _queries: dict[int, PreparedQuery] = field(default_factory=dict, init=False, repr=False)

    def read(self, found: Mapping[Any, list[Model]], parts: Iterable[Mapping[str, Any]]) -> None:
        """Fill the lists of `found`, which stand under keys as the database has them; `parts` holds the keys under the names of stand-ins."""
        made: dict[Any, Model] = {}
        for named in parts:
            query = self._query_for(len(named))
            for stored in query.stored(**named):
                if not self.through:
                    one = new_object(self.model, (self.key, *self.columns), query.converted(stored))
                elif stored[1] in made:  # the primary key: many rows share a few labels, each of those is one object
                    one = made[stored[1]]
                else:
                    one = made[stored[1]] = new_object(self.model, self.columns, query.converted(stored)[1:])
                found[stored[0]].append(one)

    def _query_for(self, size: int) -> PreparedQuery:
        kept = self._queries.get(size)
        if kept is None:
            columns = (self.key, *(self.through + name for name in self.columns))
            kept = self._queries[size] = PreparedQuery(
                self._rows, stand_ins=_stand_ins(self.table, self.key, size), columns=columns
            )
        return kept

    def _rows(self, **keys: Any) -> "QuerySet[Any]":
        rows: QuerySet[Any] = self.table._base_manager.filter(Q((f"{self.key}__in", list(keys.values()))))  # noqa: SLF001 - the documented model API
        return rows.order_by(*self.order)


@dataclass(frozen=True, eq=False)
class Amount:
    """How many rows of `table` name a row in their column `key`: `amounts = {"assets_amount": Amount(SystemUserAsset, "systemuser_id")}`.

    `table` is a model, or the label of one ("sessions.Session") where its module lies above the list's own. The list can be ordered
    by the amount. `of` names the relation whose rows are shown as well: its length is the amount. `only` narrows the rows.
    """

    table: type[Model] | str
    key: str
    of: str = ""
    only: Q = field(default_factory=Q)
    _queries: dict[int, PreparedQuery] = field(default_factory=dict, init=False, repr=False)

    @property
    def model(self) -> type[Model]:
        """The table. Raises LookupError when the label names none."""
        return apps.get_model(self.table) if isinstance(self.table, str) else self.table

    def expression(self) -> Any:
        """The amount as an annotation, for the order of a list."""
        rows = self._counted(self.model._base_manager.filter(self.only, Q((self.key, OuterRef("pk")))))  # noqa: SLF001 - the documented model API
        return Coalesce(Subquery(rows.values("amount"), output_field=IntegerField()), 0)

    def attach(self, rows: Sequence[Model], name: str) -> None:
        """Give each row the amount, as an attribute."""
        if self.of:
            for row in rows:
                vars(row)[name] = len(prefetched(row, self.of))
            return
        keys = _keys_of(rows)
        amounts: dict[Any, int] = {}
        for named in _parts(keys):
            amounts.update(self._query_for(len(named)).stored(**named))
        for row, key in zip(rows, keys, strict=True):
            vars(row)[name] = amounts.get(key, 0)

    def _query_for(self, size: int) -> PreparedQuery:
        kept = self._queries.get(size)
        if kept is None:
            stand_ins = _stand_ins(self.model, self.key, size)
            kept = self._queries[size] = PreparedQuery(self._rows, stand_ins=stand_ins, columns=(self.key, "amount"))
        return kept

    def _rows(self, **keys: Any) -> "QuerySet[Any]":
        return self._counted(self.model._base_manager.filter(self.only, Q((f"{self.key}__in", list(keys.values())))))  # noqa: SLF001 - the documented model API

    def _counted(self, rows: "QuerySet[Any]") -> "QuerySet[Any]":
        return rows.order_by().values(self.key).annotate(amount=Count("pk"))  # type: ignore[no-any-return]  # a queryset


def lookups_of(rows: "QuerySet[Any]") -> tuple[Lookup, ...]:
    """What `prefetch_related` was given."""
    return tuple(rows._prefetch_related_lookups)  # type: ignore[attr-defined]  # noqa: SLF001 - kept nowhere else


def attach(rows: Sequence[Model], lookups: Sequence[Lookup]) -> None:
    """Give each row what `prefetch_related(*lookups)` would. Rows that have a relation already keep it."""
    if not rows or not lookups:
        return
    model, others, ours = type(rows[0]), list[Lookup](), list[tuple[_Related, _Condition]]()
    for lookup in lookups:
        if _path(lookup) in getattr(rows[0], "_prefetched_objects_cache", ()):
            continue
        related, condition = _related(model, lookup), _condition(lookup)
        if related is None or condition is None:
            others.append(lookup)
        else:
            ours.append((related, condition))
    if ours:
        _attach(rows, ours)
    if others:
        prefetch_related_objects(list(rows), *others)


def _attach(rows: Sequence[Model], relations: Iterable[tuple[_Related, _Condition]]) -> None:
    keys = _keys_of(rows)
    parts = list(_parts(keys))
    lists = []
    for row in rows:
        columns = vars(row)
        made = columns["_prefetched_objects_cache"] = Lists(columns.get("_prefetched_objects_cache", {}))
        lists.append(made)
    for relation, condition in relations:
        found: dict[Any, list[Model]] = {key: [] for key in keys}
        relation.read(found, parts)
        for name, value in condition:  # a row has few related ones, so those of another organization are left out here
            found = {key: [one for one in some if getattr(one, name) == value] for key, some in found.items()}
        for row, one, key in zip(rows, lists, keys, strict=True):
            if relation.is_single:
                row._state.fields_cache[relation.relation] = next(iter(found[key]), None)  # noqa: SLF001 - where Django looks
            else:
                one.rows[relation.relation] = (relation.model, found[key])


def attach_amounts(view: Any, rows: Sequence[Any]) -> None:
    """Give the rows of the view's own model the amounts that it declares."""
    amounts: Mapping[str, Amount] = getattr(view, "amounts", {})
    if amounts and rows and isinstance(rows[0], view.queryset.model):
        for name, amount in amounts.items():
            amount.attach(rows, name)


def prefetched(row: Model, relation: str) -> Any:
    """The rows of a to-many relation, without a query or a manager when they have been read for the whole page."""
    kept = vars(row).get("_prefetched_objects_cache")
    if type(kept) is Lists and relation in kept.rows:
        return kept.rows[relation][1]
    if kept is not None and relation in kept:
        return kept[relation]
    return getattr(row, relation).all()


def _condition(lookup: Lookup) -> _Condition | None:
    """The columns that the related rows must have, with their values; None when the queryset asks for more than that."""
    rows = lookup.queryset if isinstance(lookup, Prefetch) else None
    where = rows.query.where if rows is not None else None
    if not where:
        return ()
    conditions: list[Any] = where.children
    plain = all(type(one) is Exact and type(one.lhs) is Col for one in conditions)
    if where.connector != AND or where.negated or not plain:
        return None
    return tuple((one.lhs.target.attname, one.rhs) for one in conditions)


_known: Final[dict[tuple[Any, ...], _Related | None]] = {}


def _related(model: type[Model], lookup: Lookup) -> _Related | None:
    """How the relation is read; None when Django has to."""
    path, rows = _path(lookup), lookup.queryset if isinstance(lookup, Prefetch) else None
    if isinstance(lookup, Prefetch) and lookup.to_attr:
        return None
    columns: tuple[str, ...] | None = None
    order: tuple[Any, ...] | None = None
    if rows is not None:
        query = rows.query
        names, deferred = query.deferred_loading
        special = query.annotations or query.extra or query.distinct or query.select_related
        if special or query.is_sliced or lookups_of(rows) or (deferred and (names, deferred) != _ALL_COLUMNS):
            return None
        columns = None if deferred else tuple(sorted(names))
        order = tuple(query.order_by) if query.order_by or not query.default_ordering else None
    place = (model, path, columns, order)
    if place not in _known:
        _known[place] = _built(model, path, columns, order)
    return _known[place]


def _built(
    model: type[Model], path: str, columns: tuple[str, ...] | None, order: tuple[Any, ...] | None
) -> _Related | None:
    relation = _relation(model, path)
    if isinstance(relation, ManyToManyField):
        table, target = cast("type[Model]", relation.remote_field.through), relation.related_model
        key, through = relation.m2m_field_name(), relation.m2m_reverse_field_name()
    elif isinstance(relation, ManyToManyRel):
        table, target = cast("type[Model]", relation.through), relation.related_model
        key, through = relation.field.m2m_reverse_field_name(), relation.field.m2m_field_name()
    elif isinstance(relation, ManyToOneRel):  # and with it the other side of a one-to-one relation
        table = target = relation.related_model
        key, through = relation.field.name, ""
    else:
        return None
    meta: Any = target._meta  # noqa: SLF001 - the documented model API
    if order is None:
        order = tuple(meta.ordering or ())
    if not all(isinstance(one, str) for one in order):
        return None
    names = [column.attname for column in meta.concrete_fields if columns is None or column.name in columns]
    columns = tuple(dict.fromkeys((meta.pk.attname, *names)))
    if not through:
        columns = tuple(name for name in columns if name != f"{key}_id")  # read already, to tell whose row it is
    prefix = f"{through}__" if through else ""
    ordered = tuple(f"-{prefix}{one[1:]}" if one.startswith("-") else prefix + one for one in order)
    return _Related(path, table, f"{key}_id", target, columns, ordered, prefix, isinstance(relation, OneToOneRel))


def _relation(model: type[Model], path: str) -> Any:
    meta: Any = model._meta  # noqa: SLF001 - the documented model API
    forward = next((column for column in meta.many_to_many if column.name == path), None)
    return forward or next((one for one in meta.related_objects if one.get_accessor_name() == path), None)


def _path(lookup: Lookup) -> str:
    return lookup if isinstance(lookup, str) else str(lookup.prefetch_through)


def _keys_of(rows: Sequence[Model]) -> list[Any]:
    database = connections[DEFAULT_DB_ALIAS]
    return [as_stored(row.pk, database) for row in rows]


def _parts(keys: Sequence[Any]) -> Iterable[dict[str, Any]]:
    """The keys in parts under the names of the stand-ins, the last one repeated for those that are left over."""
    for start in range(0, len(keys), _SIZES[-1]):
        some = keys[start : start + _SIZES[-1]]
        size = next(one for one in _SIZES if one >= len(some))
        yield {f"key{number}": some[min(number, len(some) - 1)] for number in range(size)}


def _stand_ins(table: type[Model], key: str, size: int) -> dict[str, Any]:
    column: Any = table._meta.get_field(key.removesuffix("_id"))  # noqa: SLF001 - the documented model API
    return stand_ins(column.related_model, size)


def stand_ins(model: type[Model], size: int) -> dict[str, Any]:
    """Keys of the model that no row has, for queries that are compiled once."""
    column: Any = model._meta.pk  # noqa: SLF001 - the documented model API
    while column.remote_field:
        column = column.remote_field.model._meta.pk  # noqa: SLF001 - the documented model API
    by_number = column.get_internal_type().endswith("AutoField")
    return {f"key{number}": 2_000_000_000 + number if by_number else UUID(int=number + 1) for number in range(size)}
