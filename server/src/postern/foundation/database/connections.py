"""The connections that a process of ours holds to PostgreSQL: a pool, and when a request gives its one back early."""

from typing import Final

from django.db import connections

#: Connections in the pool of each process, where PostgreSQL has room for them.
DATABASE_CONNECTIONS: Final = 18
#: With fewer some kind of request would find none (`request_kinds`).
FEWEST_CONNECTIONS: Final = 9
#: How long a query waits for one of them before it counts as a database that can not be reached.
POOL_WAIT_S: Final = 10


class _Pool:
    most: int = DATABASE_CONNECTIONS


def limit_pool(most: int) -> None:
    """Let each process of this program hold at most so many connections. To be called before the application is loaded."""
    _Pool.most = min(max(most, FEWEST_CONNECTIONS), DATABASE_CONNECTIONS)


def pool_size() -> int:
    """How many connections this process may hold."""
    return _Pool.most


def release_connections() -> None:
    """Give this thread's connections back to the pool; the next query takes one again.

    Called before work that takes long and asks the database nothing: a download, or a file that a child process reads.
    Inside a transaction nothing is given back. SQLite connections belong to their thread and stay open.
    """
    for connection in connections.all(initialized_only=True):
        if connection.vendor == "postgresql" and not connection.in_atomic_block:
            connection.close()
