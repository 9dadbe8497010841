"""The SQL of the history for both databases: its clock, its triggers, and the comparison with the present rows.

The clock is that of the database. On PostgreSQL it is the start of the transaction, so that all changes of a transaction
have one instant; on SQLite that of the statement, in milliseconds. A clock that was set back cannot hide a change: a row
ends at least a microsecond after it began, and the next row of the same object or link begins no earlier than the
last row ended.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from postern.apps.perms.history.models import OPEN
from postern.apps.perms.history.sources import Source

PREFIX: Final = "perms_past_"
CLOCKS: Final = {
    "sqlite": "(CAST(strftime('%s', 'now') AS INTEGER) * 1000000"
    " + CAST(substr(strftime('%f', 'now'), 4) AS INTEGER) * 1000)",
    "postgresql": "CAST(extract(epoch FROM transaction_timestamp()) * 1000000 AS bigint)",
}
_GREATER: Final = {"sqlite": "max", "postgresql": "greatest"}


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger by name, on a table, with the statements that create it."""

    name: str
    table: str
    statements: tuple[str, ...]


def triggers(source: Source, vendor: str) -> Iterator[Trigger]:
    """The triggers of a table. Their names contain a digest of what they do, so that a changed trigger is detected."""
    end, begin = _end(source, vendor), _begin(source, vendor)
    verbs = {"insert": ("", (begin,)), "update": (_changed(source), (end, begin)), "delete": ("", (end,))}
    for verb, (condition, steps) in verbs.items():
        body = "; ".join(steps)
        digest = hashlib.sha256(f"{condition} {body}".encode()).hexdigest()[:8]
        name = f"{PREFIX}{source.kind.name.lower()}_{verb}_{digest}"
        of = f" OF {', '.join(source.columns.values())}" if verb == "update" else ""
        when = f" WHEN ({condition})" if condition else ""
        event = f"AFTER {verb.upper()}{of} ON {source.table} FOR EACH ROW{when}"
        if vendor == "postgresql":
            function = (
                f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN {body}; RETURN NULL; END $$"
            )
            created: tuple[str, ...] = (function, f"CREATE TRIGGER {name} {event} EXECUTE FUNCTION {name}()")
        else:
            created = (f"CREATE TRIGGER {name} {event} BEGIN {body}; END",)
        yield Trigger(name, source.table, created)


def _changed(source: Source) -> str:
    return " OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in source.columns.values())


def _end(source: Source, vendor: str) -> str:
    """End the open row of OLD."""
    same = " AND ".join(f"{past} = OLD.{source.columns[past]}" for past in source.key)
    return (
        f"UPDATE {source.past_table} SET until = {_GREATER[vendor]}(since + 1, {CLOCKS[vendor]})"  # noqa: S608 - our own names
        f" WHERE {same} AND kind = {source.kind.value} AND until = {OPEN}"
    )


def _begin(source: Source, vendor: str) -> str:
    """Begin a row of NEW."""
    values = ", ".join(f"NEW.{column}" for column in source.columns.values())
    return (
        f"INSERT INTO {source.past_table} (kind, {_names(source)}, since, until)"  # noqa: S608 - our own names
        f" VALUES ({source.kind.value}, {values}, {_since(source, vendor, 'NEW')}, {OPEN})"
    )


def _since(source: Source, vendor: str, row: str) -> str:
    """The clock, but not before the last row of the same object or link ended."""
    same = " AND ".join(f"p.{past} = {row}.{source.columns[past]}" for past in source.key)
    last = (
        f"SELECT max(p.until) FROM {source.past_table} p"  # noqa: S608 - our own names
        f" WHERE {same} AND p.kind = {source.kind.value} AND p.until < {OPEN}"
    )
    return f"{_GREATER[vendor]}({CLOCKS[vendor]}, coalesce(({last}), 0))"


def _names(source: Source) -> str:
    return ", ".join(source.columns)


def _equal(source: Source) -> str:
    """Whether a past row has the values of the present row with the same key.

    With `IS NOT DISTINCT FROM` SQLite would look for the values in an index, for example for all assets of the
    organization of each asset, rather than for the key.
    """
    values = (past for past in source.columns if past not in source.key)
    return "".join(f" AND NOT (p.{past} IS DISTINCT FROM s.{source.columns[past]})" for past in values)


def _open_without_row(source: Source) -> str:
    keys = " AND ".join(f"s.{source.columns[past]} = p.{past}" for past in source.key)
    row = f"SELECT 1 FROM {source.table} s WHERE {keys}{_equal(source)}"  # noqa: S608 - our own names
    return f"p.kind = {source.kind.value} AND p.until = {OPEN} AND NOT EXISTS ({row})"


def _row_without_open(source: Source) -> str:
    keys = " AND ".join(f"p.{past} = s.{source.columns[past]}" for past in source.key)
    row = (
        f"SELECT 1 FROM {source.past_table} p WHERE {keys} AND p.kind = {source.kind.value}"  # noqa: S608 - our own names
        f" AND p.until = {OPEN}{_equal(source)}"
    )
    return f"NOT EXISTS ({row})"


def corrections(source: Source, vendor: str) -> tuple[str, str]:
    """Statements that make the open rows those of the table: end what is not true any more, begin what is missing."""
    past, table, since = source.past_table, source.table, _since(source, vendor, "s")
    values = ", ".join(f"s.{column}" for column in source.columns.values())
    end = f"UPDATE {past} AS p SET until = {_GREATER[vendor]}(since + 1, {CLOCKS[vendor]}) WHERE {_open_without_row(source)}"  # noqa: S608 - our own names
    begin = (
        f"INSERT INTO {past} (kind, {_names(source)}, since, until)"  # noqa: S608 - our own names
        f" SELECT {source.kind.value}, {values}, {since}, {OPEN} FROM {table} s WHERE {_row_without_open(source)}"
    )
    return end, begin


def comparisons(source: Source) -> tuple[str, str]:
    """Queries for the number of open rows that the table does not have, and of rows that are not open."""
    return (
        f"SELECT count(*) FROM {source.past_table} p WHERE {_open_without_row(source)}",  # noqa: S608 - our own names
        f"SELECT count(*) FROM {source.table} s WHERE {_row_without_open(source)}",  # noqa: S608 - our own names
    )
