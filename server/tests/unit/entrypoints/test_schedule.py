"""The schedule of the worker: frequent tasks run in its process, the others go through the broker."""

from pathlib import Path

from celery import Celery

from postern.entrypoints.schedule import STAMP_WORKER, Scheduler


def test_frequent_tasks_run_here_and_others_are_sent(tmp_path: Path) -> None:
    app = Celery("scheduled", broker="memory://", set_as_current=False)
    app.conf.beat_schedule = {
        "often": {"task": "often", "schedule": 5.0},
        "rarely": {"task": "rarely", "schedule": 60.0},
        "stamp": {"task": STAMP_WORKER, "schedule": 10.0},
    }
    here: list[str] = []
    scheduler = Scheduler(app=app, run=here.append, schedule_filename=str(tmp_path / "schedule"), max_interval=1)
    for entry in list(scheduler.schedule.values()):
        scheduler.apply_async(entry)
    scheduler.close()

    assert here == ["often"]
    with app.connection_for_read() as connection:
        queue = connection.SimpleQueue("celery")
        sent = {queue.get(timeout=1).headers["task"] for _ in range(2)}
    assert sent == {"rarely", STAMP_WORKER}


def test_each_frequent_task_becomes_due_again(tmp_path: Path) -> None:
    app = Celery("scheduled", broker="memory://", set_as_current=False)
    app.conf.beat_schedule = {name: {"task": name, "schedule": 0.01} for name in ("first", "second")}
    here: list[str] = []
    scheduler = Scheduler(app=app, run=here.append, schedule_filename=str(tmp_path / "schedule"), max_interval=1)
    while min(here.count("first"), here.count("second")) < 3:
        scheduler.tick()
    scheduler.close()
