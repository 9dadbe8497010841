"""Rows that actions write many of, or with every request: statements that are put together once for each table.

Django's `save` and `bulk_create` build and compile their statement anew, which takes ten times as long as the database does. Here the values
of all rows go to one statement of the driver (`executemany`). Fields prepare their values as ever (`auto_now`, JSON, UUID); signals are
not sent, and generated keys are not read back: for models that need neither.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models


def insert(rows: Sequence[models.Model]) -> None:
    """Insert rows of one model. A key that the database generates stays unknown."""
    if not rows:
        return
    model = type(rows[0])
    database = connections[DEFAULT_DB_ALIAS]
    statement, fields = _insertion(model, database.vendor)
    values = [[field.get_db_prep_save(field.pre_save(row, True), database) for field in fields] for row in rows]
    _execute(statement, values)
    for row in rows:
        row._state.adding = False  # noqa: SLF001 - as `save` does
        row._state.db = DEFAULT_DB_ALIAS  # noqa: SLF001 - as `save` does


def change(rows: Sequence[models.Model], names: Sequence[str]) -> None:
    """Write the columns with these names (attributes of the model) of rows of one model, found by their keys."""
    if not rows or not names:
        return
    model = type(rows[0])
    database = connections[DEFAULT_DB_ALIAS]
    statement, fields, key = _alteration(model, tuple(names), database.vendor)
    values = [
        [
            *(field.get_db_prep_save(field.pre_save(row, False), database) for field in fields),
            key.get_db_prep_save(row.pk, database),
        ]
        for row in rows
    ]
    _execute(statement, values)


def _execute(statement: str, values: list[list[Any]]) -> None:
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        if len(values) == 1:
            cursor.execute(statement, values[0])
        else:
            cursor.executemany(statement, values)


@cache
def _insertion(model: type[models.Model], vendor: str) -> tuple[str, tuple[Any, ...]]:
    del vendor  # part of the key: each database quotes in its own way
    meta = model._meta  # noqa: SLF001 - the documented model API
    fields = tuple(field for field in meta.concrete_fields if not isinstance(field, models.AutoField))
    quote = connections[DEFAULT_DB_ALIAS].ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in fields)
    places = ", ".join("%s" for _ in fields)
    return f"INSERT INTO {quote(meta.db_table)} ({columns}) VALUES ({places})", fields  # noqa: S608 - names of our models


@cache
def _alteration(model: type[models.Model], names: tuple[str, ...], vendor: str) -> tuple[str, tuple[Any, ...], Any]:
    del vendor
    meta = model._meta  # noqa: SLF001 - the documented model API
    by_name = {field.attname: field for field in meta.concrete_fields}
    fields, key = tuple(by_name[name] for name in names), meta.pk
    quote = connections[DEFAULT_DB_ALIAS].ops.quote_name
    columns = ", ".join(f"{quote(str(field.column))} = %s" for field in fields)
    return f"UPDATE {quote(meta.db_table)} SET {columns} WHERE {quote(str(key.column))} = %s", fields, key  # noqa: S608 - names of our models
