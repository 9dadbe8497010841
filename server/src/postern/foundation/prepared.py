"""A queryset that is built and compiled once, then run with other values.

Django needs some 5 ms to build and compile a large query, 0.3 ms for a small one; the database answers it in a tenth of that.
The SQL stays Django's own and parametrised: stand-in values mark the places in the parameter list where the real ones go.
For queries that every request makes, and for none else: the code is plainer without.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from django.db import connection, connections
from django.db.models import Model, QuerySet, UUIDField

_uuid_column = UUIDField()


@dataclass(frozen=True, slots=True)
class _Compiled:
    """`places` tells for some positions of `params` which value belongs there; `converters`, what is done to a column's values."""

    sql: str
    params: tuple[Any, ...]
    places: Mapping[int, str]
    converters: tuple[tuple[int, tuple[Any, ...], Any], ...]


_Row = TypeVar("_Row", bound=Model)
_NONE: Final[Mapping[str, UUID | str]] = {}


class PreparedQuery:
    """`build(**values)` makes the queryset; `stand_ins` are values of the same types that occur nowhere else in it.

    Stand-ins are UUIDs and strings; `columns` are the columns of the rows.
    """

    def __init__(
        self,
        build: Callable[..., QuerySet[Any]],
        *,
        columns: tuple[str, ...],
        stand_ins: Mapping[str, UUID | str] = _NONE,
    ) -> None:
        self._build = build
        self._stand_ins = stand_ins
        self._columns = columns
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, **values: UUID | str) -> list[dict[str, Any]]:
        """Run with `values`, one for each stand-in."""
        return [dict(zip(self._columns, row, strict=True)) for row in self.tuples(**values)]

    def tuples(self, **values: UUID | str) -> list[tuple[Any, ...]]:
        """The same, each row as the values of `columns`."""
        compiled = self._compiled.get(connection.vendor)
        if compiled is None:
            compiled = self._compiled[connection.vendor] = self._compile()
        params = list(compiled.params)
        for position, name in compiled.places.items():
            params[position] = _stored(values[name])
        with connection.cursor() as cursor:
            cursor.execute(compiled.sql, params)
            found: list[tuple[Any, ...]] = cursor.fetchall()
        return [_converted(row, compiled) for row in found] if compiled.converters else found

    def _compile(self) -> _Compiled:
        query = self._build(**self._stand_ins).values(*self._columns).query
        compiler = query.get_compiler(connection=connections[connection.alias])
        sql, params = compiler.as_sql()
        names = {_stored(value): name for name, value in self._stand_ins.items()}
        places = {
            position: names[value] for position, value in enumerate(params) if _hashable(value) and value in names
        }
        if set(places.values()) != set(names.values()) or tuple(query.selected or ()) != self._columns:
            raise LookupError("the query does not carry its values and columns as they were given")
        selected = [column for column, _sql, _alias in compiler.select]
        converters = tuple(
            (position, tuple(functions), expression)
            for position, (functions, expression) in compiler.get_converters(selected).items()
        )
        return _Compiled(str(sql), tuple(params), places, converters)


class PreparedObjects(Generic[_Row]):
    """The same for whole rows of a model, as objects; `with_related` names a foreign key whose row comes along."""

    def __init__(
        self,
        model: type[_Row],
        build: Callable[..., QuerySet[Any]],
        *,
        stand_ins: Mapping[str, UUID | str],
        with_related: str | None = None,
    ) -> None:
        self._model = model
        self._names = _column_names(model)
        self._related = with_related
        columns = self._names
        if with_related is not None:
            related: Any = model._meta.get_field(with_related).related_model  # noqa: SLF001 - the documented model API
            self._related_model, self._related_names = related, _column_names(related)
            columns = (*columns, *(f"{with_related}__{name}" for name in self._related_names))
        self._query = PreparedQuery(build, stand_ins=stand_ins, columns=columns)

    def first(self, **values: UUID | str) -> _Row | None:
        """The first row of the answer; meant for lookups that have one at most."""
        rows = self._query.tuples(**values)
        if not rows:
            return None
        own = len(self._names)
        found: _Row = self._model.from_db(connection.alias, self._names, rows[0][:own])
        if self._related is not None:
            setattr(
                found, self._related, self._related_model.from_db(connection.alias, self._related_names, rows[0][own:])
            )
        return found


def _column_names(model: type[Model]) -> tuple[str, ...]:
    return tuple(column.attname for column in model._meta.concrete_fields)  # noqa: SLF001 - the documented model API


def _converted(row: tuple[Any, ...], compiled: _Compiled) -> tuple[Any, ...]:
    """A row as the model's fields have it: what Django's compiler does with each."""
    values = list(row)
    for position, functions, expression in compiled.converters:
        value = values[position]
        for function in functions:
            value = function(value, expression, connection)
        values[position] = value
    return tuple(values)


def _stored(value: UUID | str) -> Any:
    """A value in the form in which the database's parameters carry it."""
    if isinstance(value, UUID):
        return _uuid_column.get_db_prep_value(value, connections[connection.alias])
    return value


def _hashable(value: Any) -> bool:
    return isinstance(value, str | UUID | bytes | int)
