"""Calls that are made in the same moment, each with a database connection of its own."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

Answer = TypeVar("Answer")


def at_once(*calls: Callable[[], Answer]) -> list[Answer]:
    """The answers of the calls, in the order of the calls. Raises what a call raised when all have ended.

    Needs real transactions (`django_db(transaction=True)`): within those of a test the threads would see nothing of it.
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
