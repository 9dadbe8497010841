"""Fit the web processes to the number of connections that PostgreSQL allows.

If there are too few connections, fewer processes are started, in the end a single one with a smaller pool. A server
with fewer connections than that needs is refused.
"""

import logging
from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg.conninfo import make_conninfo

from postern.foundation.database.connections import DATABASE_CONNECTIONS, FEWEST_CONNECTIONS
from postern.foundation.settings import Settings
from postern.kernel.errors import SettingsError

log = logging.getLogger(__name__)

#: Connections for the worker and for commands of an operator, and the minimum with which they work.
_FOR_OTHERS: Final = 8
_FEWEST_FOR_OTHERS: Final = 4
_CONNECT_TIMEOUT_S: Final = 5
_ROOM: Final = """
    SELECT current_setting('max_connections')::int
         - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true), '0')::int
"""


@dataclass(frozen=True, slots=True)
class Share:
    """Number of web processes, and the maximum number of connections of each."""

    processes: int
    connections: int = DATABASE_CONNECTIONS


def affordable(settings: Settings) -> Share:
    """The number of web processes in the settings, or as many as PostgreSQL has connections for.

    Raises SettingsError when the connections do not suffice for one process with a small pool. An unreachable database
    is no error here: every request reports it.
    """
    if settings.database.is_sqlite:
        return Share(settings.web_processes)
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
        log.info("cannot read the connection limit of PostgreSQL: %s", type(error).__name__)
        return Share(settings.web_processes)
    return share_of(int(row[0]) if row is not None else 0, wanted=settings.web_processes)


def share_of(room: int, *, wanted: int) -> Share:
    """The processes out of `wanted` that `room` connections suffice for. Raises SettingsError when they suffice for
    none.
    """
    possible = (room - _FOR_OTHERS) // DATABASE_CONNECTIONS
    if possible >= wanted:
        return Share(wanted)
    if room < FEWEST_CONNECTIONS + _FEWEST_FOR_OTHERS:
        raise SettingsError(
            f"PostgreSQL takes {room} connections; one web process and the worker need at least "
            f"{FEWEST_CONNECTIONS + _FEWEST_FOR_OTHERS}, and {DATABASE_CONNECTIONS + _FOR_OTHERS} to work well. "
            "Raise max_connections in postgresql.conf and restart PostgreSQL"
        )
    needed = wanted * DATABASE_CONNECTIONS + _FOR_OTHERS
    share = Share(possible) if possible else Share(1, max(room - _FOR_OTHERS, FEWEST_CONNECTIONS))
    log.warning(
        "PostgreSQL takes %d connections and %d web processes need up to %d: %d are started, with up to %d each. "
        "Raise max_connections in postgresql.conf, or lower POSTERN_WEB_PROCESSES",
        room,
        wanted,
        needed,
        share.processes,
        share.connections,
    )
    return share
