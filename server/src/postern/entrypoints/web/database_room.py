"""Whether PostgreSQL has room for the connections of all web processes; fewer processes when it has not."""

import logging
from typing import Final

import psycopg
from psycopg.conninfo import make_conninfo

from postern.foundation.connections import DATABASE_CONNECTIONS
from postern.foundation.settings import Settings
from postern.kernel.errors import SettingsError

log = logging.getLogger(__name__)

#: Connections that the worker and the commands of an operator use.
_FOR_OTHERS: Final = 8
_CONNECT_TIMEOUT_S: Final = 5
_ROOM: Final = """
    SELECT current_setting('max_connections')::int
         - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true), '0')::int
"""


def affordable_processes(settings: Settings) -> int:
    """The web processes that the settings ask for, or as many as PostgreSQL has connections for.

    Raises SettingsError when it has not enough for one. A database that does not answer is asked by every request, and says so there.
    """
    if settings.database.is_sqlite:
        return settings.web_processes
    database = settings.database
    parameters: dict[str, str | int | None] = {
        "host": database.host or None,
        "port": database.port,
        "dbname": database.name,
        "user": database.user or None,
        "password": database.password.reveal() or None,
        "connect_timeout": _CONNECT_TIMEOUT_S,
        **dict(database.options),
    }
    try:
        with psycopg.connect(make_conninfo("", **parameters)) as connection:
            row = connection.execute(_ROOM).fetchone()
    except psycopg.Error as error:
        log.info("PostgreSQL does not say how many connections it takes: %s", type(error).__name__)
        return settings.web_processes
    return processes_for(int(row[0]) if row is not None else 0, wanted=settings.web_processes)


def processes_for(room: int, *, wanted: int) -> int:
    """How many of `wanted` processes have their connections among `room`. Raises SettingsError when none has."""
    possible = (room - _FOR_OTHERS) // DATABASE_CONNECTIONS
    if possible >= wanted:
        return wanted
    needed = wanted * DATABASE_CONNECTIONS + _FOR_OTHERS
    if possible < 1:
        raise SettingsError(
            f"PostgreSQL takes {room} connections; one web process and the worker need up to "
            f"{DATABASE_CONNECTIONS + _FOR_OTHERS}. Raise max_connections in postgresql.conf"
        )
    log.warning(
        "PostgreSQL takes %d connections and %d web processes need up to %d: %d are started. "
        "Raise max_connections in postgresql.conf, or lower POSTERN_WEB_PROCESSES",
        room,
        wanted,
        needed,
        possible,
    )
    return possible
