"""The transaction of a write, which appends its audit records last and all at once.

Appending a record locks a chain, and all writes of an organization need that lock. A write that continued after its
first record would hold the chain while it waits for rows, and the holder of those rows would wait for the chain: a
deadlock. Writes with records in two chains could also lock them in opposite orders. So records are collected until the
end, and chains are locked in a fixed order.

The foundation imports no app, so `audits` provides the collecting context manager.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from django.db import transaction

from postern.foundation.provided import Provided

GATHERING: Final = Provided[Callable[[], AbstractContextManager[None]]]("what gathers audit records")


@contextmanager
def write_transaction() -> Iterator[None]:
    """A transaction whose audit records are appended at its end. A nested call joins the outer transaction."""
    with transaction.atomic(), GATHERING.value():
        yield
