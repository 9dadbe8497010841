"""Fills an installation with commands for `commands.py`, and with the sessions that they belong to.

    python many_commands.py COMMANDS SESSIONS DAYS

The commands are spread evenly over the days up to now, and over sessions of 2,000 people on 5,000 assets with 40
accounts. Every five-hundredth is dangerous. One person (`Rare(rare)`) ran the first ten thousand, and nothing since; one
command of the year contains `needle`. The data folder and the database are those of the environment.
"""

import os
import sys
from datetime import timedelta
from typing import Final

from many_sessions import fill as fill_sessions

PEOPLE: Final = 2_000
ASSETS: Final = 5_000
#: Commands of the person who stopped working long ago.
RARE: Final = 10_000
_BATCH: Final = 500_000
#: Sessions made one by one; the others are copies at other times.
_FIRST_SESSIONS: Final = 10_000
_LINES: Final = (
    "ls -l /var/log/app-{n}",
    "systemctl restart shop-{n}",
    "tail -n 100 /srv/data/{n}/current.log",
    "kubectl get pods -n team-{n}",
    "vi /etc/nginx/conf.d/site-{n}.conf",
    "du -sh /home/user{n}",
    "SELECT * FROM orders WHERE id = {n};",
    "git log --oneline -n {n}",
)


def _select(numbers: str, *, is_sqlite: bool) -> str:
    """The rows of one batch, computed by the database: a million rows through the ORM take minutes."""
    key = "printf('%032x', n)" if is_sqlite else "lpad(to_hex(n), 32, '0')::uuid"
    asset_key = "printf('%032x', 2000000 + n % {a})" if is_sqlite else "lpad(to_hex(2000000 + n % {a}), 32, '0')::uuid"
    day = "strftime('%Y-%m-%d %H:%M:%f', {begin} + n * {step}, 'unixepoch')"
    at = day if is_sqlite else "to_timestamp({begin} + n * {step})"
    host = "printf('host-%06d', n % {a})" if is_sqlite else "'host-' || lpad((n % {a})::text, 6, '0')"
    texts = " ".join(
        f"WHEN {place} THEN '{before}' || n || '{after}'"
        for place, line in enumerate(_LINES)
        for before, after in [line.split("{n}")]
    )
    return f"""
        INSERT INTO sessions_command (id, session_id, org_id, "user", asset_id, asset, system_user, kind, input, output,
            risk_level, at, offset_ms, decision, decision_rule, decision_filter, decision_reason, number, proof)
        SELECT {key}, (SELECT id FROM bench_sessions s WHERE s.n = numbers.n * {{s}} / {{c}}), {{org}},
            CASE WHEN n < {RARE} THEN 'Rare(rare)' ELSE 'Person ' || n % {PEOPLE} || '(person' || n % {PEOPLE} || ')' END,
            {asset_key.format(a=ASSETS)}, {host.format(a=ASSETS)}, 'account-' || n % 40, 'echo',
            CASE WHEN n = {{c}} / 2 THEN 'echo needle' ELSE CASE n % {len(_LINES)} {texts} END END,
            'output of the command', CASE WHEN n % 500 = 7 THEN 5 ELSE 0 END, {at}, n % 3600000, '', NULL, '', '',
            n, ''
        FROM ({numbers}) numbers
    """  # noqa: S608 - numbers and the texts above only


def _copy_sessions(times: int, step_s: float) -> None:
    """Copy each session so many times less one, each copy a step earlier than the last."""
    from django.db import connection  # noqa: PLC0415 - needs the app registry

    from postern.apps.sessions.models import Session  # noqa: PLC0415 - needs the app registry

    is_sqlite = connection.vendor == "sqlite"
    changed = {
        "id": "substr(id, 1, 16) || printf('%016x', n * 100000 + row)"
        if is_sqlite
        else "(substr(id::text, 1, 19) || lpad(to_hex(n * 100000 + row), 16, '0'))::uuid",
        "date_start": f"strftime('%Y-%m-%d %H:%M:%f', date_start, '-' || (n * {step_s}) || ' seconds')"
        if is_sqlite
        else f"date_start - n * {step_s} * interval '1 second'",
    }
    columns = [field.column for field in Session._meta.concrete_fields]  # noqa: SLF001 - the documented model API
    names = ", ".join(f'"{column}"' for column in columns)
    values = ", ".join(changed.get(column, f'"{column}"') for column in columns)
    table = Session._meta.db_table  # noqa: SLF001 - the documented model API
    with connection.cursor() as cursor:
        # Made in full before the first copy is inserted: the statement reads the table that it writes.
        cursor.execute(f"CREATE TABLE bench_first AS SELECT *, row_number() OVER () AS row FROM {table}")  # noqa: S608 - a name
        for n in range(1, times):
            source = f"(SELECT *, {n} AS n FROM bench_first) firsts"  # noqa: S608 - a number
            statement = f"INSERT INTO {table} ({names}) SELECT {values} FROM {source}"  # noqa: S608 - names and numbers
            cursor.execute(statement)
        cursor.execute("DROP TABLE bench_first")


def fill(commands: int, sessions: int, days: int) -> None:
    from django.db import connection, transaction  # noqa: PLC0415 - needs the app registry

    from postern.apps.sessions.models import Command, Session  # noqa: PLC0415 - needs the app registry
    from postern.kernel import clock  # noqa: PLC0415 - needs the app registry
    from postern.kernel.ids import DEFAULT_ORG_ID  # noqa: PLC0415 - needs the app registry

    is_sqlite = connection.vendor == "sqlite"
    first_sessions = min(sessions, _FIRST_SESSIONS)
    fill_sessions(first_sessions, days, PEOPLE, ASSETS)
    _copy_sessions(sessions // first_sessions, days * 86_400 / sessions)
    begin = int((clock.now() - timedelta(days=days)).timestamp())
    step = days * 86_400 / commands
    org = f"'{DEFAULT_ORG_ID.hex}'" if is_sqlite else f"'{DEFAULT_ORG_ID}'"
    numbers = "WITH RECURSIVE c(n) AS (SELECT {a} UNION ALL SELECT n + 1 FROM c WHERE n < {b}) SELECT n FROM c"
    if not is_sqlite:
        numbers = "SELECT generate_series({a}::bigint, {b}::bigint) AS n"
    table = Session._meta.db_table  # noqa: SLF001 - the documented model API
    indexes = list(Command._meta.indexes)  # noqa: SLF001 - the documented model API
    with connection.schema_editor() as editor:  # building an index at the end is much cheaper
        for index in indexes:
            editor.remove_index(Command, index)
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE bench_sessions (n integer PRIMARY KEY, id " + ("char(32)" if is_sqlite else "uuid") + ")"
        )
        cursor.execute(
            f"INSERT INTO bench_sessions SELECT row_number() OVER (ORDER BY date_start) - 1, id FROM {table}"  # noqa: S608 - a name
        )
    for first in range(0, commands, _BATCH):
        last = min(first + _BATCH, commands) - 1
        statement = _select(numbers.format(a=first, b=last), is_sqlite=is_sqlite)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement.format(begin=begin, step=step, s=sessions, c=commands, org=org))
    with connection.schema_editor() as editor:
        for index in indexes:
            editor.add_index(Command, index)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE bench_sessions")
        cursor.execute("ANALYZE")


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
    import django

    django.setup()
    fill(*map(int, sys.argv[1:]))
