"""Prefetch the relations of a page's rows with queries that are compiled once.

For fifteen rows, Django's prefetching spends more time on building its querysets and managers than the database needs
for the queries. A viewset declares the relations in Django's terms:

    rows.select_related("platform").prefetch_related("nodes", Prefetch("labels", Label.objects.only("name", "value")))

`attach` then reads the to-many relations in place of Django. It supports a plain relation name, and a `Prefetch` whose
queryset only selects columns, sorts, or compares columns with values. Anything else (a join, a path over two relations)
is left to Django. `row.nodes.all()` returns the rows in both cases; `prefetched(row, "nodes")` returns them without
creating a manager.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

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
from postern.foundation.database.prepared_keys import stand_ins

#: Sizes for which a query is compiled. A shorter list of keys is padded to the next size with its last key.
_SIZES: Final = (1, 4, 16, 32, 64, 128, 1_024)
_ALL_COLUMNS: Final = (frozenset[str](), True)

#: An argument of `prefetch_related`: a string or a `Prefetch`, whose attributes the type stubs lack.
Lookup = Any
#: Columns and the values that they must have.
_Condition = tuple[tuple[str, Any], ...]


class Lists(dict[str, Any]):
    """The prefetch cache of one row, where Django's managers look for it. Querysets are created on first access."""

    def __init__(self, others: Mapping[str, Any]) -> None:
        super().__init__(others)
        self.rows: dict[str, tuple[type[Model], list[Model]]] = {}

    def __missing__(self, relation: str) -> "QuerySet[Any]":
        model, rows = self.rows[relation]
        queryset: Any = QuerySet(model=model)
        queryset._result_cache = rows  # noqa: SLF001 - as Django's prefetching fills it
        queryset._prefetch_done = True  # noqa: SLF001 - the same
        self[relation] = queryset
        return queryset  # type: ignore[no-any-return]  # a queryset

    def pop(self, relation: str, *default: Any) -> Any:
        """Django's managers call this when they change the relation: forget the rows that were read before."""
        self.rows.pop(relation, None)
        return super().pop(relation, *default)


@dataclass(frozen=True, eq=False)
class _Related:
    """One relation: column `key` of `table` refers to the row, and `columns` are read from the related `model`.

    For a many-to-many relation, `through` is the prefix that leads from `table` to `model`.
    """

    relation: str
    table: type[Model]
    key: str
    model: type[Model]
    columns: tuple[str, ...]
    order: tuple[str, ...]
    through: str = ""
    is_single: bool = False
    _queries: dict[int, PreparedQuery] = field(default_factory=dict, init=False, repr=False)

    def read(self, lists_by_key: Mapping[Any, list[Model]], chunks: Iterable[Mapping[str, Any]]) -> None:
        """Append the related objects to the lists of `found`, by the row's key in the database's representation.

        `parts` are chunks of keys, each under the parameter names of the compiled query.
        """
        objects_by_key: dict[Any, Model] = {}
        for parameters in chunks:
            query = self._query_for(len(parameters))
            for stored in query.stored(**parameters):
                if not self.through:
                    related = new_object(self.model, (self.key, *self.columns), query.converted(stored))
                elif (
                    stored[1] in objects_by_key
                ):  # many rows share few related objects, so each of those is created once
                    related = objects_by_key[stored[1]]
                else:
                    related = objects_by_key[stored[1]] = new_object(
                        self.model, self.columns, query.converted(stored)[1:]
                    )
                lists_by_key[stored[0]].append(related)

    def _query_for(self, size: int) -> PreparedQuery:
        query = self._queries.get(size)
        if query is None:
            columns = (self.key, *(self.through + name for name in self.columns))
            query = self._queries[size] = PreparedQuery(
                self._rows, stand_ins=_stand_ins(self.table, self.key, size), columns=columns
            )
        return query

    def _rows(self, **keys: Any) -> "QuerySet[Any]":
        rows: QuerySet[Any] = self.table._base_manager.filter(Q((f"{self.key}__in", list(keys.values()))))  # noqa: SLF001 - the documented model API
        return rows.order_by(*self.order)


@dataclass(frozen=True, eq=False)
class Amount:
    """Number of rows of `table` whose column `key` refers to a row.

    Example: `amounts = {"assets_amount": Amount(SystemUserAsset, "systemuser_id")}`. `table` is a model, or a model
    label ("sessions.Session") where the module of the list may not import it. Lists can be ordered by the amount. If
    `of` names a prefetched relation, its length is the amount. `only` filters the rows.
    """

    table: type[Model] | str
    key: str
    of: str = ""
    only: Q = field(default_factory=Q)
    _queries: dict[int, PreparedQuery] = field(default_factory=dict, init=False, repr=False)

    @property
    def model(self) -> type[Model]:
        """The model of the table. Raises LookupError for an unknown label."""
        return apps.get_model(self.table) if isinstance(self.table, str) else self.table

    def expression(self) -> Any:
        """The amount as an annotation, for ordering a list."""
        rows = self._counted(self.model._base_manager.filter(self.only, Q((self.key, OuterRef("pk")))))  # noqa: SLF001 - the documented model API
        return Coalesce(Subquery(rows.values("amount"), output_field=IntegerField()), 0)

    def attach(self, rows: Sequence[Model], name: str) -> None:
        """Set the amount as an attribute of each row."""
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
        query = self._queries.get(size)
        if query is None:
            stand_ins = _stand_ins(self.model, self.key, size)
            query = self._queries[size] = PreparedQuery(self._rows, stand_ins=stand_ins, columns=(self.key, "amount"))
        return query

    def _rows(self, **keys: Any) -> "QuerySet[Any]":
        return self._counted(self.model._base_manager.filter(self.only, Q((f"{self.key}__in", list(keys.values())))))  # noqa: SLF001 - the documented model API

    def _counted(self, rows: "QuerySet[Any]") -> "QuerySet[Any]":
        return rows.order_by().values(self.key).annotate(amount=Count("pk"))  # type: ignore[no-any-return]  # a queryset


def lookups_of(rows: "QuerySet[Any]") -> tuple[Lookup, ...]:
    """The lookups that were passed to `prefetch_related`."""
    return tuple(rows._prefetch_related_lookups)  # type: ignore[attr-defined]  # noqa: SLF001 - stored nowhere else


def attach(rows: Sequence[Model], lookups: Sequence[Lookup]) -> None:
    """Give each row what `prefetch_related(*lookups)` would. Relations that a row has already are not read again."""
    if not rows or not lookups:
        return
    model, left_to_django, compiled = type(rows[0]), list[Lookup](), list[tuple[_Related, _Condition]]()
    for lookup in lookups:
        if _path(lookup) in getattr(rows[0], "_prefetched_objects_cache", ()):
            continue
        related, condition = _related(model, lookup), _condition(lookup)
        if related is None or condition is None:
            left_to_django.append(lookup)
        else:
            compiled.append((related, condition))
    if compiled:
        _attach(rows, compiled)
    if left_to_django:
        prefetch_related_objects(list(rows), *left_to_django)


def _attach(rows: Sequence[Model], relations: Iterable[tuple[_Related, _Condition]]) -> None:
    keys = _keys_of(rows)
    parts = list(_parts(keys))
    lists = []
    for row in rows:
        columns = vars(row)
        cache = columns["_prefetched_objects_cache"] = Lists(columns.get("_prefetched_objects_cache", {}))
        lists.append(cache)
    for relation, condition in relations:
        related_by_key: dict[Any, list[Model]] = {key: [] for key in keys}
        relation.read(related_by_key, parts)
        # A row has few related objects, so filtering them here is cheaper than a second compiled query.
        for name, value in condition:
            related_by_key = {
                key: [row_lists for row_lists in related_rows if getattr(row_lists, name) == value]
                for key, related_rows in related_by_key.items()
            }
        for row, row_lists, key in zip(rows, lists, keys, strict=True):
            if relation.is_single:
                row._state.fields_cache[relation.relation] = next(iter(related_by_key[key]), None)  # noqa: SLF001 - where Django looks
            else:
                row_lists.rows[relation.relation] = (relation.model, related_by_key[key])


def attach_computed(view: Any, rows: Sequence[Any]) -> None:
    """Attach the amounts that the view declares, and what its `attach_more` loads, if the rows are of its own model."""
    amounts: Mapping[str, Amount] = getattr(view, "amounts", {})
    more = getattr(view, "attach_more", None)
    if (amounts or more) and rows and isinstance(rows[0], view.queryset.model):
        for name, amount in amounts.items():
            amount.attach(rows, name)
        if more is not None:
            more(rows)


def prefetched(row: Model, relation: str) -> Any:
    """The rows of a to-many relation, without a query or manager when they were prefetched for the page."""
    cache = vars(row).get("_prefetched_objects_cache")
    if type(cache) is Lists and relation in cache.rows:
        return cache.rows[relation][1]
    if cache is not None and relation in cache:
        return cache[relation]
    return getattr(row, relation).all()


def _condition(lookup: Lookup) -> _Condition | None:
    """The columns that related rows are compared with, and the values; None when the queryset has other conditions."""
    rows = lookup.queryset if isinstance(lookup, Prefetch) else None
    where = rows.query.where if rows is not None else None
    if not where:
        return ()
    conditions: list[Any] = where.children
    plain = all(type(condition) is Exact and type(condition.lhs) is Col for condition in conditions)
    if where.connector != AND or where.negated or not plain:
        return None
    return tuple((condition.lhs.target.attname, condition.rhs) for condition in conditions)


_known: Final[dict[tuple[Any, ...], _Related | None]] = {}


def _related(model: type[Model], lookup: Lookup) -> _Related | None:
    """How to read the relation with a compiled query; None when Django has to read it."""
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
    elif isinstance(relation, ManyToOneRel):  # includes the reverse side of a one-to-one relation
        table = target = relation.related_model
        key, through = relation.field.name, ""
    else:
        return None
    meta: Any = target._meta  # noqa: SLF001 - the documented model API
    if order is None:
        order = tuple(meta.ordering or ())
    if not all(isinstance(order_name, str) for order_name in order):
        return None
    names = [column.attname for column in meta.concrete_fields if columns is None or column.name in columns]
    columns = tuple(dict.fromkeys((meta.pk.attname, *names)))
    if not through:
        columns = tuple(name for name in columns if name != f"{key}_id")  # read already as the key of the row
    prefix = f"{through}__" if through else ""
    ordered = tuple(
        f"-{prefix}{order_name[1:]}" if order_name.startswith("-") else prefix + order_name for order_name in order
    )
    return _Related(path, table, f"{key}_id", target, columns, ordered, prefix, isinstance(relation, OneToOneRel))


def _relation(model: type[Model], path: str) -> Any:
    meta: Any = model._meta  # noqa: SLF001 - the documented model API
    forward = next((column for column in meta.many_to_many if column.name == path), None)
    return forward or next(
        (candidate for candidate in meta.related_objects if candidate.get_accessor_name() == path), None
    )


def _path(lookup: Lookup) -> str:
    return lookup if isinstance(lookup, str) else str(lookup.prefetch_through)


def _keys_of(rows: Sequence[Model]) -> list[Any]:
    database = connections[DEFAULT_DB_ALIAS]
    return [as_stored(row.pk, database) for row in rows]


def _parts(keys: Sequence[Any]) -> Iterable[dict[str, Any]]:
    """The keys in chunks, under the parameter names of the compiled query. The last key pads an incomplete chunk."""
    for start in range(0, len(keys), _SIZES[-1]):
        chunk = keys[start : start + _SIZES[-1]]
        size = next(compiled_size for compiled_size in _SIZES if compiled_size >= len(chunk))
        yield {f"key{number}": chunk[min(number, len(chunk) - 1)] for number in range(size)}


def _stand_ins(table: type[Model], key: str, size: int) -> dict[str, Any]:
    column: Any = table._meta.get_field(key.removesuffix("_id"))  # noqa: SLF001 - the documented model API
    return stand_ins(column.related_model, size)
