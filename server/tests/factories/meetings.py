"""Writes that meet: each has written something when the other goes on, if their locks let it come to that."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection

from factories.at_once import at_once
from postern.foundation import installation

#: How long a write that has written an item waits for another one to do so, too.
_MEET_S = 1.0

Meeting = Callable[[Any, str], None]


@pytest.fixture
def meeting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Meeting]:
    """After `module.action` let another write get as far: each holds then what the other needs, if that can be."""
    gate = threading.Barrier(2)

    def after(module: Any, action: str) -> None:
        real = getattr(module, action)

        def write(*values: Any, **arguments: Any) -> Any:
            made = real(*values, **arguments)
            with contextlib.suppress(threading.BrokenBarrierError):  # the other write waits for this one, as it should
                gate.wait(_MEET_S)
            return made

        monkeypatch.setattr(module, action, write)

    yield after
    gate.abort()


@pytest.fixture
def row_locks(transactional_db: None) -> None:
    """Only where rows have locks: SQLite has one lock for everything. Puts back what every installation has."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one lock for everything")
    installation.run()


def statuses(*calls: Callable[[], Any]) -> list[int]:
    """The statuses of answers to calls of the same moment, in ascending order."""
    return sorted(answer.status_code for answer in at_once(*calls))
