"""Concurrent writes that meet: each has written something when the other continues, if their locks allow it."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection

from factories.at_once import at_once
from postern.foundation import installation

#: Seconds for which a write waits, after writing an item, for the other write to do the same.
_MEET_S = 1.0

Meeting = Callable[[Any, str], None]


@pytest.fixture
def meeting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Meeting]:
    """Make writes pause after `module.action` until two have reached it.

    Each then holds a lock that the other needs, unless the lock order prevents it.
    """
    gate = threading.Barrier(2)

    def after(module: Any, action: str) -> None:
        real = getattr(module, action)

        def write(*values: Any, **arguments: Any) -> Any:
            made = real(*values, **arguments)
            # the other write waits for a lock of this one, as it should
            with contextlib.suppress(threading.BrokenBarrierError):
                gate.wait(_MEET_S)
            return made

        monkeypatch.setattr(module, action, write)

    yield after
    gate.abort()


@pytest.fixture
def row_locks(transactional_db: None) -> None:
    """Skips the test on SQLite, which has one lock for everything. Restores the rows of every installation."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one lock for everything")
    installation.run()


def statuses(*calls: Callable[[], Any]) -> list[int]:
    """The status codes of concurrent calls, in ascending order."""
    return sorted(answer.status_code for answer in at_once(*calls))
