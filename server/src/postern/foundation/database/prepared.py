"""A queryset that is built and compiled once, then run with other values.

Django needs some 5 ms to build and compile a large query, 0.3 ms for a small one; the database answers it in a tenth of that.
The SQL stays Django's own and parametrised: stand-in values mark the places in the parameter list where the real ones go.
For queries that every request makes, and for none else: the code is plainer without.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
#: Position of a column, what is done with its values, the expression that it comes from.
_Converter = tuple[int, Values, Any]
#: In place of the functions of a column: see `_convert_uuids`.
_UUIDS: Final[Values] = ("uuids",)
#: The same: see `_convert_instants`.
_INSTANTS: Final[Values] = ("instants",)


@dataclass(frozen=True, slots=True)
class _Compiled:
    """`places` tells for some positions of `params` which value belongs there; `converters`, what is done to a column's values."""

    sql: str
    params: Values
    places: tuple[tuple[int, str], ...]
    converters: tuple["_Converter", ...]


_Row = TypeVar("_Row", bound=Model)
_NONE: Final[Mapping[str, UUID | str | int]] = {}


class PreparedQuery:
    """`build(**values)` makes the queryset; `stand_ins` are values of the same types that occur nowhere else in it.

    Stand-ins are UUIDs, strings and numbers; `columns` are the columns of the rows.
    """

    def __init__(
        self,
        build: Callable[..., QuerySet[Any]],
        *,
        columns: tuple[str, ...],
        stand_ins: Mapping[str, UUID | str | int] = _NONE,
    ) -> None:
        self._build = build
        self._stand_ins = stand_ins
        self._columns = columns
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, **values: UUID | str | int) -> list[dict[str, Any]]:
        """Run with `values`, one for each stand-in."""
        return [dict(zip(self._columns, row, strict=True)) for row in self.tuples(**values)]

    def tuples(self, **values: UUID | str | int) -> list[Values]:
        """The same, each row as the values of `columns`."""
        database = connections[DEFAULT_DB_ALIAS]  # once: each question to Django's `connection` looks it up anew
        found = self.stored(**values)
        converters = self._for(database).converters
        return [tuple(row) for row in _converted(found, converters, database)] if converters else found

    def stored(self, **values: UUID | str | int) -> list[Values]:
        """The same as the database has them (see `as_stored`), to be told apart before `converted`."""
        database = connections[DEFAULT_DB_ALIAS]
        compiled = self._for(database)
        params = list(compiled.params)
        for position, name in compiled.places:
            value = values[name]
            params[position] = value if type(value) is str else as_stored(value, database)
        with database.cursor() as cursor:
            cursor.execute(compiled.sql, params)
            found: list[Values] = cursor.fetchall()
        return found

    def converted(self, row: Values) -> Values:
        """One row of `stored` as `tuples` gives it."""
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
    """The same for whole rows of a model, as objects; `with_related` names foreign keys whose rows come along."""

    def __init__(
        self,
        model: type[_Row],
        build: Callable[..., QuerySet[Any]],
        *,
        stand_ins: Mapping[str, UUID | str | int],
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
            columns = (*columns, *(f"{name}__{one}" for one in names))
        self._query = PreparedQuery(build, stand_ins=stand_ins, columns=columns)

    def first(self, **values: UUID | str | int) -> _Row | None:
        """The first row of the answer; meant for lookups that have one at most."""
        rows = self.all(**values)
        return rows[0] if rows else None

    def all(self, **values: UUID | str | int) -> list[_Row]:
        """All rows of the answer. Those that refer to the same related row share one object of it."""
        found: list[_Row] = []
        own, seen = len(self._names), dict[tuple[str, Any], Model]()
        for row in self._query.tuples(**values):
            made: _Row = new_object(self._model, self._names, row[:own])
            for related in self._related:
                related.column.set_cached_value(made, related.object_of(row, seen))
            found.append(made)
        return found


@dataclass(frozen=True, slots=True)
class _Related:
    """A foreign key whose row comes along: its columns stand in `part` of a row, its key at `key`."""

    name: str
    column: Any
    model: type[Model]
    names: tuple[str, ...]
    part: slice
    key: int

    def object_of(self, row: Values, seen: dict[tuple[str, Any], Model]) -> Model | None:
        """The related row, from the columns of `row`; one for each key in `seen`."""
        if row[self.key] is None:
            return None
        known = (self.name, row[self.key])
        found = seen.get(known)
        if found is None:
            found = seen[known] = new_object(self.model, self.names, row[self.part])
        return found


def new_object(model: type[_Row], names: Sequence[str], values: Sequence[Any]) -> _Row:
    """What `model.from_db` makes of the values of these columns.

    Django's way looks at every column of the model, present or not, and sends two signals, for each object; here models that ask for
    neither are filled in one go.
    """
    quick = _quick.get(model)
    if quick is None:
        own_way = model.from_db.__func__ is not Model.from_db.__func__ or model.__init__ is not Model.__init__  # type: ignore[attr-defined]  # class methods have it
        quick = _quick[model] = not (own_way or pre_init.has_listeners(model) or post_init.has_listeners(model))
    if not quick:
        return model.from_db(DEFAULT_DB_ALIAS, names, values)
    made = model.__new__(model)
    columns = vars(made)
    columns["_state"] = state = ModelState()
    state.adding, state.db = False, DEFAULT_DB_ALIAS
    columns.update(zip(names, values, strict=True))
    return made


_quick: Final[dict[type[Model], bool]] = {}


def as_stored(value: UUID | str | int, database: BaseDatabaseWrapper) -> Any:
    """A value in the form in which parameters and answers of the database carry it."""
    if isinstance(value, UUID) and not database.features.has_native_uuid_field:
        return value.hex
    return value


def _column_names(model: type[Model]) -> tuple[str, ...]:
    return tuple(column.attname for column in model._meta.concrete_fields)  # noqa: SLF001 - the documented model API


def _converted(
    rows: Iterable[Values], converters: Sequence[_Converter], database: BaseDatabaseWrapper
) -> list[list[Any]]:
    """Rows as the model's fields have them: what Django's compiler does with each value."""
    found = [list(row) for row in rows]
    for position, functions, expression in converters:
        if functions is _UUIDS:
            _convert_uuids(found, position)
            continue
        if functions is _INSTANTS:
            _convert_instants(found, position, database)
            continue
        for values in found:
            value = values[position]
            for function in functions:
                value = function(value, expression, database)
            values[position] = value
    return found


def _convert_uuids(rows: list[list[Any]], position: int) -> None:
    """A column of UUIDs that the database keeps as text: those of one organization are all the same."""
    known: dict[str | None, UUID | None] = {None: None}
    for values in rows:
        text = values[position]
        if text not in known:
            known[text] = UUID(int=int(text, 16))
        values[position] = known[text]


def _convert_instants(rows: list[list[Any]], position: int, database: BaseDatabaseWrapper) -> None:
    """A column of instants that the database keeps without their zone."""
    zone = database.timezone
    for values in rows:
        value = values[position]
        if type(value) is datetime and value.tzinfo is None:
            values[position] = value.replace(tzinfo=zone)
        elif value is not None:
            values[position] = database.ops.convert_datetimefield_value(value, None, database)  # type: ignore[attr-defined]  # SQLite has it


def _known_way(functions: Sequence[Any], database: BaseDatabaseWrapper) -> Values:
    """What is done with the values of a column: functions, or the name of our own way to do the same."""
    for name, quick in (("convert_uuidfield_value", _UUIDS), ("convert_datetimefield_value", _INSTANTS)):
        usual: Any = getattr(database.ops, name, None)
        if usual is not None and list(functions) == [usual] and database.vendor == "sqlite":
            return quick
    return tuple(functions)


def _hashable(value: Any) -> bool:
    return isinstance(value, str | UUID | bytes | int)
