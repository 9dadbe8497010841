"""Querysets that are built and compiled once, then run with other values.

Django takes about 5 ms to build and compile a large query and 0.3 ms for a small query, ten times as long as the database
needs to answer it. The SQL is Django's own and parametrized: placeholder values mark the positions of the real values
in the parameter list. Use this only for queries of every request, since plain querysets are easier to read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet
from django.db.models.base import ModelState
from django.db.models.signals import post_init, pre_init

Values = tuple[Any, ...]
#: What a query can be run with.
Value = UUID | str | int | datetime
#: Position of a column, functions that convert its values, and the expression that the column comes from.
_Converter = tuple[int, Values, Any]
#: Marks a column whose values `_convert_uuids` converts.
_UUIDS: Final[Values] = ("uuids",)
#: Marks a column whose values `_convert_instants` converts.
_INSTANTS: Final[Values] = ("instants",)


@dataclass(frozen=True, slots=True)
class _Compiled:
    """`places` maps positions of `params` to the names of values; `converters` lists the conversions of columns."""

    sql: str
    params: Values
    places: tuple[tuple[int, str], ...]
    converters: tuple["_Converter", ...]


_Row = TypeVar("_Row", bound=Model)
_NONE: Final[Mapping[str, Value]] = {}
#: Rows that `streamed` reads at a time.
_STREAMED: Final = 1_000


class PreparedQuery:
    """A compiled queryset. `build(**values)` creates it; `stand_ins` are placeholder values that occur nowhere else in
    it.

    Placeholders are UUIDs, strings, numbers and instants; `columns` are the columns of the result.
    """

    def __init__(
        self,
        build: Callable[..., QuerySet[Any]],
        *,
        columns: tuple[str, ...],
        stand_ins: Mapping[str, Value] = _NONE,
    ) -> None:
        self._build = build
        self._stand_ins = stand_ins
        self._columns = columns
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, **values: Value) -> list[dict[str, Any]]:
        """Run the query with `values`, one for each placeholder. Returns each row as a mapping."""
        return [dict(zip(self._columns, row, strict=True)) for row in self.tuples(**values)]

    def tuples(self, **values: Value) -> list[Values]:
        """Run the query. Returns each row as a tuple of `columns`."""
        # looked up once, because each access to Django's `connection` proxy looks it up again
        database = connections[DEFAULT_DB_ALIAS]
        stored_rows = self.stored(**values)
        converters = self._for(database).converters
        return [tuple(row) for row in _converted(stored_rows, converters, database)] if converters else stored_rows

    def stored(self, **values: Value) -> list[Values]:
        """Run the query. Returns the values as the database represents them (see `as_stored`), before `converted`."""
        database = connections[DEFAULT_DB_ALIAS]
        sql, params = self._with(database, values)
        with database.cursor() as cursor:
            cursor.execute(sql, params)
            stored_rows: list[Values] = cursor.fetchall()
        return stored_rows

    def streamed(self, **values: Value) -> Iterator[Values]:
        """The same row by row, for results that are too large to hold."""
        database = connections[DEFAULT_DB_ALIAS]
        sql, params = self._with(database, values)
        with database.cursor() as cursor:
            cursor.execute(sql, params)
            while rows := cursor.fetchmany(_STREAMED):
                yield from rows

    def _with(self, database: BaseDatabaseWrapper, values: Mapping[str, Value]) -> tuple[str, list[Any]]:
        compiled = self._for(database)
        params = list(compiled.params)
        for position, name in compiled.places:
            value = values[name]
            params[position] = value if type(value) is str else as_stored(value, database)
        return compiled.sql, params

    def converted(self, row: Values) -> Values:
        """A row of `stored`, converted as `tuples` does."""
        database = connections[DEFAULT_DB_ALIAS]
        return tuple(_converted((row,), self._for(database).converters, database)[0])

    def _for(self, database: BaseDatabaseWrapper) -> _Compiled:
        compiled = self._compiled.get(database.vendor)
        if compiled is None:
            compiled = self._compiled[database.vendor] = self._compile(database)
        return compiled

    def _compile(self, database: BaseDatabaseWrapper) -> _Compiled:
        query = self._build(**self._stand_ins).values(*self._columns).query
        compiler = query.get_compiler(connection=database)
        sql, params = compiler.as_sql()
        names = {as_stored(value, database): name for name, value in self._stand_ins.items()}
        places = {
            position: names[value] for position, value in enumerate(params) if _hashable(value) and value in names
        }
        if set(places.values()) != set(names.values()) or tuple(query.selected or ()) != self._columns:
            raise LookupError("the query does not carry its values and columns as they were given")
        selected = [column for column, _sql, _alias in compiler.select]
        converters = tuple(
            (position, _known_way(functions, database), expression)
            for position, (functions, expression) in compiler.get_converters(selected).items()
        )
        return _Compiled(str(sql), tuple(params), tuple(places.items()), converters)


class PreparedObjects(Generic[_Row]):
    """A compiled queryset of complete model objects; `with_related` names foreign keys that are loaded with them."""

    def __init__(
        self,
        model: type[_Row],
        build: Callable[..., QuerySet[Any]],
        *,
        stand_ins: Mapping[str, Value],
        with_related: Sequence[str] = (),
    ) -> None:
        self._model = model
        self._names = _column_names(model)
        self._related: list[_Related] = []
        columns = self._names
        for name in with_related:
            column: Any = model._meta.get_field(name)  # noqa: SLF001 - the documented model API
            related: Any = column.related_model
            names = _column_names(related)
            part = slice(len(columns), len(columns) + len(names))
            key = len(columns) + names.index(related._meta.pk.attname)  # noqa: SLF001 - the documented model API
            self._related.append(_Related(name, column, related, names, part, key))
            columns = (*columns, *(f"{name}__{column_name}" for column_name in names))
        self._query = PreparedQuery(build, stand_ins=stand_ins, columns=columns)

    def first(self, **values: Value) -> _Row | None:
        """The first object, or None. For lookups that match at most one row."""
        rows = self.all(**values)
        return rows[0] if rows else None

    def all(self, **values: Value) -> list[_Row]:
        """All objects. Objects that refer to the same related row share one related object."""
        loaded_rows: list[_Row] = []
        own, seen = len(self._names), dict[tuple[str, Any], Model]()
        for row in self._query.tuples(**values):
            row_object: _Row = new_object(self._model, self._names, row[:own])
            for related in self._related:
                related.column.set_cached_value(row_object, related.object_of(row, seen))
            loaded_rows.append(row_object)
        return loaded_rows


@dataclass(frozen=True, slots=True)
class _Related:
    """A foreign key that is loaded with each row: its columns are `part` of the row, its key is at index `key`."""

    name: str
    column: Any
    model: type[Model]
    names: tuple[str, ...]
    part: slice
    key: int

    def object_of(self, row: Values, seen: dict[tuple[str, Any], Model]) -> Model | None:
        """The related object from the columns of `row`; objects in `seen` are reused by key."""
        if row[self.key] is None:
            return None
        cache_key = (self.name, row[self.key])
        related_row = seen.get(cache_key)
        if related_row is None:
            related_row = seen[cache_key] = new_object(self.model, self.names, row[self.part])
        return related_row


def new_object(model: type[_Row], names: Sequence[str], values: Sequence[Any]) -> _Row:
    """An object of the model with these columns set, like `model.from_db`.

    Django checks every column of the model and sends two signals for each object. Models without their own `from_db`,
    `__init__` or signal receivers are filled directly.
    """
    quick = _quick.get(model)
    if quick is None:
        own_way = model.from_db.__func__ is not Model.from_db.__func__ or model.__init__ is not Model.__init__  # type: ignore[attr-defined]  # class methods have it
        quick = _quick[model] = not (own_way or pre_init.has_listeners(model) or post_init.has_listeners(model))
    if not quick:
        return model.from_db(DEFAULT_DB_ALIAS, names, values)
    row_object = model.__new__(model)
    columns = vars(row_object)
    columns["_state"] = state = ModelState()
    state.adding, state.db = False, DEFAULT_DB_ALIAS
    columns.update(zip(names, values, strict=True))
    return row_object


_quick: Final[dict[type[Model], bool]] = {}


def as_stored(value: Value, database: BaseDatabaseWrapper) -> Any:
    """The value as it appears in query parameters and results of the database."""
    if isinstance(value, UUID) and not database.features.has_native_uuid_field:
        return value.hex
    if isinstance(value, datetime):
        return database.ops.adapt_datetimefield_value(value)
    return value


def _column_names(model: type[Model]) -> tuple[str, ...]:
    return tuple(column.attname for column in model._meta.concrete_fields)  # noqa: SLF001 - the documented model API


def _converted(
    rows: Iterable[Values], converters: Sequence[_Converter], database: BaseDatabaseWrapper
) -> list[list[Any]]:
    """Convert the values of rows with the functions that Django's compiler would apply."""
    converted_rows = [list(row) for row in rows]
    for position, functions, expression in converters:
        if functions is _UUIDS:
            _convert_uuids(converted_rows, position)
            continue
        if functions is _INSTANTS:
            _convert_instants(converted_rows, position, database)
            continue
        for values in converted_rows:
            value = values[position]
            for function in functions:
                value = function(value, expression, database)
            values[position] = value
    return converted_rows


def _convert_uuids(rows: list[list[Any]], position: int) -> None:
    """Convert a UUID column stored as text. Many rows have the same organization, so parsed values are reused."""
    uuid_of_text: dict[str | None, UUID | None] = {None: None}
    for values in rows:
        text = values[position]
        if text not in uuid_of_text:
            uuid_of_text[text] = UUID(int=int(text, 16))
        values[position] = uuid_of_text[text]


def _convert_instants(rows: list[list[Any]], position: int, database: BaseDatabaseWrapper) -> None:
    """Convert a datetime column that the database stores without a time zone."""
    zone = database.timezone
    for values in rows:
        value = values[position]
        if type(value) is datetime and value.tzinfo is None:
            values[position] = value.replace(tzinfo=zone)
        elif value is not None:
            values[position] = database.ops.convert_datetimefield_value(value, None, database)  # type: ignore[attr-defined]  # SQLite has it


def _known_way(functions: Sequence[Any], database: BaseDatabaseWrapper) -> Values:
    """The conversions of a column: Django's functions, or the mark of our faster equivalent."""
    for name, quick in (("convert_uuidfield_value", _UUIDS), ("convert_datetimefield_value", _INSTANTS)):
        usual: Any = getattr(database.ops, name, None)
        if usual is not None and list(functions) == [usual] and database.vendor == "sqlite":
            return quick
    return tuple(functions)


def _hashable(value: Any) -> bool:
    return isinstance(value, str | UUID | bytes | int | datetime)
