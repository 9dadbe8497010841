"""Keeps the triggers of the history in place. SQLite drops them with a table that a migration makes anew."""

from collections.abc import Iterator
from typing import Final

from django.db import connection, transaction

from postern.apps.perms.history.models import HistoryStart
from postern.apps.perms.history.sources import SOURCES
from postern.apps.perms.history.statements import CLOCKS, PREFIX, Trigger, comparisons, corrections, triggers

#: Name and table of the triggers that work. LIKE would read the underscores of the prefix as wildcards.
_PRESENT: Final = {
    "sqlite": "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, %s) = %s",
    "postgresql": "SELECT t.tgname, c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
    " WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND pg_table_is_visible(c.oid)"
    " AND substr(t.tgname, 1, %s) = %s",
}


def ensure() -> None:
    """Install what is missing, and bring the history up to the present rows if anything was.

    Idempotent, one query when nothing is missing. Changes while a trigger was missing get the time of this call.
    """
    missing = missing_triggers()
    if not missing and HistoryStart.objects.exists():
        return
    with transaction.atomic(), connection.cursor() as cursor:
        _remove_outdated(wanted={trigger.name for trigger in all_triggers()})
        for trigger in missing:
            for statement in trigger.statements:
                cursor.execute(statement)
        for source in SOURCES:
            for statement in corrections(source, connection.vendor):
                cursor.execute(statement)
        cursor.execute(f"SELECT {CLOCKS[connection.vendor]}")
        HistoryStart.objects.get_or_create(id=1, defaults={"began": cursor.fetchone()[0]})


def remove() -> None:
    """Drop all triggers; `ensure` installs them again after the migration that needs this."""
    _remove_outdated(wanted=set())


def all_triggers() -> list[Trigger]:
    """The triggers of all tables, whether they are in the database or not."""
    return [trigger for source in SOURCES for trigger in triggers(source, connection.vendor)]


def missing_triggers() -> list[Trigger]:
    """Triggers that are not in the database, or switched off."""
    present = _present()
    return [trigger for trigger in all_triggers() if trigger.name not in present]


def differences() -> Iterator[str]:
    """A line for each trigger that is missing, and for each table whose present rows are not those of the history."""
    for trigger in missing_triggers():
        yield f"history: the trigger {trigger.name} on {trigger.table} is missing"
    with connection.cursor() as cursor:
        for source in SOURCES:
            counts = []
            for query in comparisons(source):
                cursor.execute(query)
                counts.append(cursor.fetchone()[0])
            if any(counts):
                yield f"history: {source.table}: {counts[0]} rows too many, {counts[1]} missing"


def _present() -> dict[str, str]:
    """Table of each trigger of the history, by name."""
    with connection.cursor() as cursor:
        cursor.execute(_PRESENT[connection.vendor], [len(PREFIX), PREFIX])
        return dict(cursor.fetchall())


def _remove_outdated(*, wanted: set[str]) -> None:
    with connection.cursor() as cursor:
        for name, table in _present().items():
            if name in wanted:
                continue
            if connection.vendor == "postgresql":
                cursor.execute(f"DROP TRIGGER {name} ON {table}")
                cursor.execute(f"DROP FUNCTION {name}()")
            else:
                cursor.execute(f"DROP TRIGGER {name}")
