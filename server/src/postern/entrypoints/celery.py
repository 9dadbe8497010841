"""The worker: Celery with a thread pool, and its schedule in a thread of the same process.

Task messages are JSON and carry ids, never secrets. Work that must not be lost is not left to the broker alone: it is
in the outbox table (see `postern.foundation.bus.outbox`).
"""

import os
import threading
import warnings
from functools import cache, partial
from importlib import import_module
from typing import Any, Final

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "postern.foundation.django_settings")

import django

django.setup()

from celery import Celery, Task, platforms, signals
from celery.beat import EmbeddedService
from django.apps import apps
from django.conf import settings as django_settings

from postern.apps.jobs.engine.dispatcher import Dispatcher
from postern.apps.jobs.hosts.link import RUNNER
from postern.apps.jobs.periodic_tasks import actions as periodic_tasks
from postern.apps.jobs.periodic_tasks.noting import RunsNoted
from postern.entrypoints import watched_events
from postern.entrypoints.broker import broker_url
from postern.entrypoints.schedule import Scheduler
from postern.foundation.bus import waking
from postern.foundation.bus.prompt_tasks import PromptTasks
from postern.foundation.machine.private_files import private_folder
from postern.foundation.parts.part_board import SUPERVISOR_PID
from postern.foundation.settings import Settings
from postern.kernel import clock

_THREADS: Final = 4

settings: Settings = django_settings.POSTERN


#: Counts the runs of scheduled tasks in this worker.
_runs: Final = RunsNoted()


class _SwitchedTask(Task):  # type: ignore[misc]  # celery has no types
    """A task that administrators can switch off, and whose runs are counted if it is in the schedule."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.name not in _scheduled():
            return super().__call__(*args, **kwargs)
        if periodic_tasks.is_off(self.name):
            return None
        began, error = clock.now(), ""
        try:
            return super().__call__(*args, **kwargs)
        except Exception as failure:  # noted and passed on, whatever it is
            error = type(failure).__name__
            raise
        finally:
            _runs.note(self.name, began, error)


@cache
def _scheduled() -> frozenset[str]:
    return frozenset(entry["task"] for entry in app.conf.beat_schedule.values())


app = Celery("postern", task_cls=_SwitchedTask)
app.conf.update(
    broker_url=broker_url(settings),
    broker_connection_retry_on_startup=True,
    result_backend=None,
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    timezone="UTC",
    enable_utc=True,
)
app.set_default()


def _schedule() -> dict[str, Any]:
    """Periodic tasks of all apps: the `BEAT` of each app's `tasks` module, if it has one."""
    merged: dict[str, Any] = {}
    for config in apps.get_app_configs():
        if config.name.startswith("postern."):
            try:
                module = import_module(f"{config.name}.tasks")
            except ModuleNotFoundError as error:
                if error.name != f"{config.name}.tasks":
                    raise
                continue
            merged.update(getattr(module, "BEAT", {}))
    return merged


app.conf.beat_schedule = _schedule()


def _stamp_now(**_details: object) -> None:
    app.send_task("postern.foundation.stamp_worker")


def work(*, beat: bool) -> int:
    """Run jobs until SIGTERM; running jobs are finished first."""
    # In a container the worker runs as root, which Celery warns about because of pickle. The worker accepts only JSON.
    warnings.filterwarnings("ignore", category=platforms.SecurityWarning)
    prompt_tasks = PromptTasks({name: app.tasks[name] for name in _scheduled()})
    if beat:
        # A worker without `postern up` and without the private Redis is the first process to need this folder.
        private_folder(settings.run_dir)
        schedule = settings.run_dir / "schedule"
        app.conf.beat_schedule_filename = str(schedule)
        EmbeddedService(app, thread=True, scheduler_cls=partial(Scheduler, run=prompt_tasks.run)).start()
    # Send the first sign of life as a job as soon as the worker accepts jobs; the schedule sends the others.
    signals.worker_ready.connect(_stamp_now, weak=False)
    periodic_tasks.adopt(app.conf.beat_schedule)
    watched_events.register()
    worker = app.Worker(
        pool="threads",
        concurrency=_THREADS,
        hostname=f"postern@{os.uname().nodename}",
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        loglevel="WARNING",
        quiet=True,
    )
    dispatcher = Dispatcher(settings.home, _holder(settings))
    listener = waking.Listener(lambda work: dispatcher.wake() if work == waking.JOBS else prompt_tasks.run(work))
    # `postern up` holds the data folder and starts one worker, so an earlier one of the same name has ended.
    dispatcher.start(predecessor_is_gone=SUPERVISOR_PID in os.environ)
    listener.start()
    # Celery waits for its own tasks at the end; jobs are asked to return at the beginning of that time.
    stopping = partial(_stop_jobs, dispatcher, listener)
    signals.worker_shutting_down.connect(stopping, weak=False)
    worker.start()
    prompt_tasks.stop()
    _runs.write()
    dispatcher.stop()
    RUNNER.value.close()
    return int(worker.exitcode or 0)


def _stop_jobs(dispatcher: Dispatcher, listener: waking.Listener, **_details: object) -> None:
    listener.stop()
    threading.Thread(target=dispatcher.stop, name="stops jobs", daemon=True).start()


def _holder(settings: Settings) -> str:
    """The name of the worker of this data folder on this machine."""
    return f"{os.uname().nodename}:{settings.home}"[-128:]
