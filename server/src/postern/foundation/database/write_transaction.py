"""The transaction of a write: what it leaves in the audit log is appended last, all at once.

Every record takes the lock of a chain, which all writes of an organization want. A write that goes on after its first record would
hold that lock while it waits for rows, and whoever has those rows waits for the chain: a circle. A write with records in two chains
would take them in its own order. Here the records wait until the end, and the chains are taken in one order.

The foundation knows no app, so `audits` provides what gathers the records.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from django.db import transaction

from postern.foundation.provided import Provided

GATHERING: Final = Provided[Callable[[], AbstractContextManager[None]]]("what gathers audit records")


@contextmanager
def write_transaction() -> Iterator[None]:
    """A transaction whose audit records are appended at its end, or not at all. Inside another one it is a part of that."""
    with transaction.atomic(), GATHERING.value():
        yield
