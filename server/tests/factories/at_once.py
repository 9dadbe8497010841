"""Concurrent calls, each with its own database connection."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

Answer = TypeVar("Answer")


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
