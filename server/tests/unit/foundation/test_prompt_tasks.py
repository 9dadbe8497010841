"""Periodic tasks in threads of the worker."""

import threading

import pytest

from postern.foundation.bus.prompt_tasks import PromptTasks

WAIT_S = 10.0


def test_requests_during_a_run_cause_one_more_and_a_slow_task_delays_no_other() -> None:
    begun, may_end, others = threading.Event(), threading.Event(), threading.Event()
    runs: list[int] = []

    def slow() -> None:
        runs.append(len(runs))
        begun.set()
        assert may_end.wait(WAIT_S)

    tasks = PromptTasks({"slow": slow, "quick": others.set})
    tasks.run("slow")
    assert begun.wait(WAIT_S)
    for _ in range(5):
        tasks.run("slow")
    tasks.run("quick")
    assert others.wait(WAIT_S)
    may_end.set()
    tasks.stop()
    assert runs == [0, 1]


def test_task_that_fails_runs_again_when_it_is_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    began = threading.Semaphore(0)

    def fails() -> None:
        began.release()
        raise ValueError("no")

    tasks = PromptTasks({"fails": fails})
    tasks.run("fails")
    assert began.acquire(timeout=WAIT_S)
    tasks.run("fails")
    assert began.acquire(timeout=WAIT_S)
    tasks.stop()
    assert caplog.text.count("fails failed") == 2


def test_nothing_begins_after_the_stop() -> None:
    runs: list[str] = []
    tasks = PromptTasks({"task": lambda: runs.append("task")})
    tasks.stop()
    tasks.run("task")
    assert runs == []
