"""Threads for short database work: how many, in which order, and what is left when nothing is to do."""

import threading
import time
from functools import partial
from queue import SimpleQueue

import pytest
from django.db import connection

from postern.foundation.database.database_threads import DatabaseThreads

pytestmark = pytest.mark.django_db

_NAME = "a test of database threads"
_SOON_S = 60.0


def alive() -> int:
    return sum(thread.name == _NAME for thread in threading.enumerate())


def wait_until_gone() -> None:
    until = time.monotonic() + _SOON_S
    while alive():
        assert time.monotonic() < until, "idle threads end"
        time.sleep(0.01)


def test_no_more_calls_run_at_once_than_allowed_and_all_run() -> None:
    running, most, lock = 0, 0, threading.Lock()
    done: SimpleQueue[int] = SimpleQueue()
    threads = DatabaseThreads(3, _NAME, idle_s=0.05)

    def call(number: int) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.002)
        with lock:
            running -= 1
        done.put(number)

    for number in range(50):
        threads.submit(partial(call, number))
    assert sorted(done.get(timeout=_SOON_S) for _ in range(50)) == list(range(50))
    assert most == 3
    wait_until_gone()


def test_call_that_fails_holds_up_no_other(caplog: pytest.LogCaptureFixture) -> None:
    done: SimpleQueue[str] = SimpleQueue()
    threads = DatabaseThreads(1, _NAME, idle_s=0.05)

    def fails() -> None:
        raise RuntimeError("as expected by this test")

    threads.submit(fails)
    threads.submit(lambda: done.put("ran"))
    assert done.get(timeout=_SOON_S) == "ran"
    assert "as expected by this test" in caplog.text
    wait_until_gone()


def test_thread_keeps_its_connection_and_an_idle_one_leaves_none_behind() -> None:
    seen: SimpleQueue[tuple[str, int]] = SimpleQueue()
    threads = DatabaseThreads(1, _NAME, idle_s=0.2)

    def look() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        seen.put((threading.current_thread().name, id(connection.connection)))

    threads.submit(look)
    first = seen.get(timeout=_SOON_S)
    threads.submit(look)
    second = seen.get(timeout=_SOON_S)
    assert first[0] == second[0] == _NAME
    if connection.vendor == "sqlite":  # a pooled connection is returned after each call
        assert first[1] == second[1]
    wait_until_gone()
    threads.submit(look)
    assert seen.get(timeout=_SOON_S)[0] == _NAME, "the first call after a pause gets a thread again"
    wait_until_gone()


def test_nothing_runs_after_closing() -> None:
    begun, go_on = threading.Event(), threading.Event()
    ran: list[str] = []
    threads = DatabaseThreads(1, _NAME, idle_s=_SOON_S)

    def first() -> None:
        begun.set()
        assert go_on.wait(_SOON_S)
        ran.append("first")

    threads.submit(first)
    assert begun.wait(_SOON_S)
    threads.submit(lambda: ran.append("waiting"))
    threads.close()
    threads.submit(lambda: ran.append("late"))
    go_on.set()
    wait_until_gone()
    assert ran == ["first"]
