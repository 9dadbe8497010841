"""Concurrent calls, each with its own database connection."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import connections

Answer = TypeVar("Answer")
#: Makes a call in another thread.
Beside = Callable[[Callable[[], Any]], "Future[Any]"]


@contextmanager
def other_threads(number: int = 2) -> Iterator[Beside]:
    """Calls that go on beside the test, at most `number` at a time. All have ended after the block."""
    with ThreadPoolExecutor(number) as pool:

        def start(call: Callable[[], Any]) -> "Future[Any]":
            def run() -> Any:
                try:
                    return call()
                finally:
                    connections.close_all()

            return pool.submit(run)

        yield start


def at_once(*calls: Callable[[], Answer]) -> list[Answer]:
    """Make the calls concurrently and return their answers in the order of the calls. Raises an error of a call after
    all ended.

    Needs real transactions (`django_db(transaction=True)`): other threads do not see the transaction of an ordinary
    test.
    """
    gate = threading.Barrier(len(calls))

    def run(call: Callable[[], Answer]) -> Answer:
        try:
            gate.wait(timeout=120)
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        futures = [pool.submit(run, call) for call in calls]
    return [future.result() for future in futures]
