"""Reads of several tables that belong together."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from django.db import DEFAULT_DB_ALIAS, connections, transaction

#: SQLite keeps what a transaction reads from its first read on. Django's own transactions would take the write lock.
_BEGIN: Final = {"sqlite": "BEGIN", "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"}


@contextmanager
def snapshot() -> Iterator[None]:
    """All reads inside see the database at one instant. Writers do not wait for them. Only for reads.

    Raises TransactionManagementError inside a transaction, which has its own view already.
    """
    database = connections[DEFAULT_DB_ALIAS]
    if database.in_atomic_block:
        raise transaction.TransactionManagementError("a snapshot cannot begin inside a transaction")
    with database.cursor() as cursor:
        cursor.execute(_BEGIN[database.vendor])
    try:
        yield
    finally:
        if database.connection is not None:
            with database.cursor() as cursor:
                cursor.execute("ROLLBACK")


def snapshot_or_own() -> AbstractContextManager[None]:
    """One instant for all reads; inside a transaction it is the transaction's."""
    return transaction.atomic() if connections[DEFAULT_DB_ALIAS].in_atomic_block else snapshot()
