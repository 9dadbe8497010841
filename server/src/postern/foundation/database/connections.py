"""The PostgreSQL connection pool of each process, and returning a connection before the request ends."""

from typing import Final

from django.db import connections

#: Connections in the pool of each process, if PostgreSQL allows that many.
DATABASE_CONNECTIONS: Final = 18
#: With a smaller pool, some kind of request would get no connection (`request_kinds`).
FEWEST_CONNECTIONS: Final = 9
#: Time in seconds that a query waits for a pooled connection before the database counts as unreachable.
POOL_WAIT_S: Final = 10


class _Pool:
    most: int = DATABASE_CONNECTIONS


def limit_pool(connections_per_process: int) -> None:
    """Limit the pool of each process of this program. Call it before the application is loaded."""
    _Pool.most = min(max(connections_per_process, FEWEST_CONNECTIONS), DATABASE_CONNECTIONS)


def pool_size() -> int:
    """Maximum number of connections of this process."""
    return _Pool.most


def release_connections() -> None:
    """Return this thread's connections to the pool; the next query takes a connection again.

    Call it before long work without queries: a download, or a file that a child process reads. It does nothing inside a
    transaction. SQLite connections belong to their thread and stay open.
    """
    for connection in connections.all(initialized_only=True):
        if connection.vendor == "postgresql" and not connection.in_atomic_block:
            connection.close()
