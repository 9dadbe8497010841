"""Kinds of jobs for tests, and waiting for the end of a job."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
from django.utils.translation import gettext_lazy as _

from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.engine.kinds import JobKind, OnLost, Outcome
from postern.apps.jobs.engine.models import Job
from postern.foundation.rest.rights import Right
from postern.kernel import clock


class Numbered(msgspec.Struct, frozen=True):
    """The argument of the jobs of tests."""

    number: int = 0


class Workshop:
    """What the jobs of a test do: `hold` keeps them until `release`, and `ran` lists those that ran."""

    def __init__(self) -> None:
        self.ran: list[int] = []
        self.release = threading.Event()
        self.held = threading.Semaphore(0)

    def quick(self, job: JobRun, argument: Numbered) -> Outcome:
        job.say(f"number {argument.number}")
        self.ran.append(argument.number)
        return Outcome(code="done", values={"number": argument.number})

    def hold(self, job: JobRun, argument: Numbered) -> Outcome:
        self.held.release()
        while not self.release.wait(0.02):
            job.check()
        return self.quick(job, argument)

    def broken(self, job: JobRun, argument: Numbered) -> Outcome:
        raise ValueError(f"number {argument.number}")


def kind(name: str, run: Callable[[JobRun, Any], Outcome], **changes: Any) -> JobKind[Any]:
    values: dict[str, Any] = {
        "label": _("Job"),
        "argument": Numbered,
        "right": Right.ORG_ADMIN,
        "on_lost": OnLost.RERUN,
        "time_limit": timedelta(minutes=1),
        "outcomes": {"done": _("Number %(number)d")},
        "at_once": 4,
        "at_once_in_org": 4,
        **changes,
    }
    return JobKind(name=name, run=run, **values)


def ended(job: Job) -> Job:
    """The job in its final state; a test that waits for long has failed."""
    give_up_at = clock.monotonic_s() + 60
    while True:
        job.refresh_from_db()
        if not job.is_open:
            return job
        assert clock.monotonic_s() < give_up_at, f"{job} is still {job.state}"
        time.sleep(0.02)
