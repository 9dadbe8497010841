"""Empties the tables after a test with real transactions, and restores the rows of every installation.

Django's own way takes half a second: TRUNCATE makes new files for each table and index, even for empty ones, and the
signal after migrations looks up the content types and permissions of every model.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from unittest import mock

from django.core.management.commands import flush as flush_command
from django.db import connection, transaction

from postern.apps.notifications.subscriptions import LIVE_SESSIONS
from postern.apps.sessions.subscriptions import FILTER_CHECKS, RECHECKS
from postern.foundation import installation

#: Tables whose triggers refuse DELETE. Only the emptying between tests may bypass them.
APPEND_ONLY_TABLES: Final = ("audits_auditevent", "audits_loginlog", "audits_passwordchangelog")
#: Tables that Django fills from the models; their rows are the same in every test.
KEPT_TABLES: Final = ("django_content_type", "auth_permission")


@contextmanager
def quick_emptying() -> Iterator[None]:
    """Within the block, tests with `transaction=True` empty the tables in this way."""
    operations = type(connection.ops)
    execute = operations.execute_sql_flush

    def empty(self: Any, sql_list: list[str]) -> None:
        # Background work of a test must not run into the next test or after the database was closed.
        RECHECKS.wait()
        FILTER_CHECKS.wait()
        LIVE_SESSIONS.wait()
        if connection.vendor == "postgresql":
            _empty_postgresql()
        else:
            execute(
                self, _without_triggers([sql for sql in sql_list if not any(table in sql for table in KEPT_TABLES)])
            )

    def put_back(*_arguments: object, **_more: object) -> None:
        installation.run()

    with (
        mock.patch.object(operations, "execute_sql_flush", empty),
        mock.patch.object(flush_command, "emit_post_migrate_signal", put_back),
    ):
        yield


def _without_triggers(deletions: list[str]) -> list[str]:
    """The statements for SQLite, which cannot disable a trigger: drop the triggers, delete, create the
    triggers again.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'audits_%'")
        triggers = cursor.fetchall()
    return [*(f"DROP TRIGGER {name}" for name, _ in triggers), *deletions, *(sql for _, sql in triggers)]


def _empty_postgresql() -> None:
    """Delete all rows of the tables that are not empty."""
    quote = connection.ops.quote_name
    present = connection.introspection.django_table_names(only_existing=True, include_views=False)
    tables = [table for table in present if table not in KEPT_TABLES]
    with transaction.atomic(), connection.cursor() as cursor:
        # Waits for writes of other threads of the test, as TRUNCATE does.
        cursor.execute(f"LOCK TABLE {', '.join(map(quote, tables))} IN SHARE ROW EXCLUSIVE MODE")
        cursor.execute(
            " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT FROM {quote(table)})" for table in tables)  # noqa: S608 - names of our own tables
        )
        filled = [table for (table,) in cursor.fetchall()]
        refusing = [table for table in APPEND_ONLY_TABLES if table in filled]
        statements = [
            *(f"ALTER TABLE {quote(table)} DISABLE TRIGGER USER" for table in refusing),
            *(f"DELETE FROM {quote(table)}" for table in filled),  # noqa: S608 - names of our own tables
            # References are checked at the end, when all rows are gone; a table with checks ahead cannot be altered.
            "SET CONSTRAINTS ALL IMMEDIATE",
            *(f"ALTER TABLE {quote(table)} ENABLE TRIGGER USER" for table in refusing),
        ]
        cursor.execute("; ".join(statements))
