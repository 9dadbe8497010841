"""A write that is tried and always rolled back.

What a database rolls back is undone by itself. Code that writes somewhere else asks `is_running` and leaves it out.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from postern.foundation.database.write_transaction import write_transaction

_RUNNING: Final = ContextVar("a write is only tried", default=False)


class _Undo(Exception):
    """Rolls back the transaction of a trial."""


@contextmanager
def undone() -> Iterator[None]:
    """A write transaction that is rolled back at its end."""
    token = _RUNNING.set(True)
    try:
        with write_transaction():
            yield
            raise _Undo  # noqa: TRY301 - it must leave the transaction as an error does, so that nothing is recorded
    except _Undo:
        return
    finally:
        _RUNNING.reset(token)


def is_running() -> bool:
    """Whether the present write is only tried, so that nothing outside of the database may change."""
    return _RUNNING.get()
