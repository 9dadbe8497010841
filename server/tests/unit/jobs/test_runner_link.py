"""The worker's side of the pipe to a runner that hangs."""

import sys
import threading
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any

import pytest

from postern.apps.jobs.hosts import link
from postern.apps.jobs.hosts.link import Owner, RunnerLink, RunnerLost
from postern.contracts.access import Target
from postern.contracts.routes import Route
from postern.contracts.runner import RunOnHost

PATIENCE_S = 60


@pytest.fixture
def hanging() -> Iterator[RunnerLink]:
    """A link to a runner that reads nothing."""
    made = RunnerLink([sys.executable, "-c", "import time; time.sleep(600)"], {})
    yield made
    made.kill()
    made.close()


def large(task: int) -> RunOnHost:
    """A task that does not fit into a pipe."""
    target = Target(host="192.0.2.1", port=22)
    return RunOnHost(task=task, target=target, route=Route(), login_name="root", script="x" * 1_000_000)


def test_runner_that_does_not_read_is_killed_and_its_tasks_are_told(
    hanging: RunnerLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "_SEND_S", 0.2)
    owner: Owner = object()  # type: ignore[assignment]  # nothing asks it
    news: SimpleQueue[Any] = SimpleQueue()
    number = hanging.next_task()
    hanging.run(large(number), owner, news)
    assert news.get(timeout=PATIENCE_S) == RunnerLost(number, has_started=False)


def test_runner_can_be_killed_while_a_frame_is_being_sent(hanging: RunnerLink) -> None:
    owner: Owner = object()  # type: ignore[assignment]  # nothing asks it
    news: SimpleQueue[Any] = SimpleQueue()
    number = hanging.next_task()
    sending = threading.Thread(target=hanging.run, args=(large(number), owner, news), daemon=True)
    sending.start()
    while not hanging._sending.locked():
        sending.join(0.01)
    hanging.kill()
    assert news.get(timeout=PATIENCE_S) == RunnerLost(number, has_started=False)
