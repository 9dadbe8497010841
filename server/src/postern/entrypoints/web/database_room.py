"""Whether PostgreSQL has room for the connections of all web processes.

When it has not, fewer processes are started, then one with a smaller pool. Only a server that has hardly any is refused.
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

#: Connections that the worker and the commands of an operator use, and how few they get along with.
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
    """How many web processes there are, and how many connections each of them may hold."""

    processes: int
    connections: int = DATABASE_CONNECTIONS


def affordable(settings: Settings) -> Share:
    """The web processes that the settings ask for, or as many as PostgreSQL has connections for.

    Raises SettingsError when it has not enough for one with a small pool. A database that does not answer is asked by every request, and says so there.
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
        log.info("PostgreSQL does not say how many connections it takes: %s", type(error).__name__)
        return Share(settings.web_processes)
    return share_of(int(row[0]) if row is not None else 0, wanted=settings.web_processes)


def share_of(room: int, *, wanted: int) -> Share:
    """How many of `wanted` processes have their connections among `room`. Raises SettingsError when none has."""
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
