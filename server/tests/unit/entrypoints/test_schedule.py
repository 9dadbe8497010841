"""The schedule of the worker: frequent tasks run in its process, the others go through the broker."""

from pathlib import Path

import pytest
from celery import Celery

from postern.entrypoints.schedule import STAMP_WORKER, Scheduler
from postern.kernel import clock


def test_frequent_tasks_run_here_and_others_are_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = Celery("scheduled", broker="memory://", set_as_current=False)
    app.conf.beat_schedule = {
        "often": {"task": "often", "schedule": 5.0},
        "oftener": {"task": "oftener", "schedule": 2.0},
        "rarely": {"task": "rarely", "schedule": 0.001},
        "stamp": {"task": STAMP_WORKER, "schedule": 0.002},
    }
    monkeypatch.setattr("postern.entrypoints.schedule._is_frequent", lambda entry: entry["schedule"] >= 1)
    times = [100.0]
    monkeypatch.setattr(clock, "monotonic_s", lambda: times[-1])
    here: list[str] = []
    scheduler = Scheduler(app=app, run=here.append, schedule_filename=str(tmp_path / "schedule"), max_interval=1)
    with app.connection_for_read() as connection:
        queue = connection.SimpleQueue("celery")
        sent: set[str] = set()
        while sent != {"rarely", STAMP_WORKER}:
            times.append(times[-1] + 0.0001)
            assert 0 <= scheduler.tick() <= 1
            sent |= {queue.get_nowait().headers["task"] for _ in range(queue.qsize())}
    assert sorted(here) == ["often", "oftener"]  # at once, and then each in its time
    for at in (102.5, 104.0, 104.9, 105.5, 106.0):
        times.append(at)
        scheduler.tick()
    scheduler.close()
    assert here[2:] == ["oftener", "oftener", "often"]


def test_stamp_of_the_worker_is_a_message_and_only_often_means_often(tmp_path: Path) -> None:
    app = Celery("scheduled", broker="memory://", set_as_current=False)
    app.conf.beat_schedule = {
        "often": {"task": "often", "schedule": 10.0},
        "rarely": {"task": "rarely", "schedule": 20.0},
        "stamp": {"task": STAMP_WORKER, "schedule": 10.0},
    }
    here: list[str] = []
    scheduler = Scheduler(app=app, run=here.append, schedule_filename=str(tmp_path / "schedule"), max_interval=1)
    scheduler.tick()
    sent_ones = set(scheduler.schedule)
    scheduler.close()
    assert here == ["often"]
    assert sent_ones >= {"rarely", "stamp"}
    assert "often" not in sent_ones
