"""All rows of all tables at once, and a database that fails at a chosen write."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from django.db import OperationalError, connection

#: Kept by Django for itself; and an index without content, which cannot be read and follows a table that is ours.
_NOT_OURS = {"django_migrations", "sqlite_sequence", "sessions_recordinggrams"}
_WRITE = re.compile(r'\s*(INSERT INTO|UPDATE|DELETE FROM) "(\w+)"')

#: Table → its rows, each a tuple of values in the order of the columns.
Snapshot = dict[str, list[tuple[Any, ...]]]


def table_names() -> list[str]:
    """Every table of the database that the product writes to."""
    return sorted(set(connection.introspection.table_names()) - _NOT_OURS)


def snapshot(tables: list[str]) -> Snapshot:
    """What is in these tables now, in any order.

    Thousands of snapshots read every table, so they pass by Django's cursor, which costs more than the reading.
    """
    connection.ensure_connection()
    with closing(connection.connection.cursor()) as cursor:
        return {
            table: _plain(cursor.execute(f'SELECT * FROM "{table}"').fetchall())  # noqa: S608 - our own tables
            for table in tables
        }


def differences(before: Snapshot, after: Snapshot) -> dict[str, tuple[list[Any], list[Any]]]:
    """Table → rows that are gone, rows that are new; a changed row is in both."""
    return {
        table: ([row for row in rows if row not in after[table]], [row for row in after[table] if row not in rows])
        for table, rows in before.items()
        # Sorting is for the few tables whose rows may have changed places only.
        if rows != after[table] and sorted(rows, key=repr) != sorted(after[table], key=repr)
    }


def _plain(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows with bytes in place of the views of memory that PostgreSQL's driver gives."""
    if connection.vendor == "sqlite":
        return rows
    return [tuple(bytes(value) if isinstance(value, memoryview) else value for value in row) for row in rows]


def written_table(sql: str) -> str | None:
    """The table that a statement writes to; None when it reads."""
    found = _WRITE.match(sql)
    return found[2] if found else None


@contextmanager
def watched(seen: list[str]) -> Iterator[None]:
    """Note the table of every write statement."""

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        table = written_table(sql)
        if table is not None:
            seen.append(table)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield


@contextmanager
def failing_at(number: int) -> Iterator[None]:
    """The write statement with this number (from 0) fails, as it does on a full disk; so do all that come after it."""
    count = 0

    def fail(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal count
        if written_table(sql) is not None:
            count += 1
            if count > number:
                raise OperationalError("database or disk is full")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(fail):
        yield
