"""Workers that are killed with -9 again and again: every accepted job reaches a final state, and no effect happens
twice.
"""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.utils.translation import gettext_lazy as _

from factories.jobs import ended, kind
from peers import job_worker
from peers.job_worker import EFFECT, KIND, Slow
from postern.apps.jobs.engine import actions, claims, kinds
from postern.apps.jobs.engine.kinds import Kinds, Outcome
from postern.apps.jobs.engine.models import Job, JobState
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.models import OutboxMessage
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db(transaction=True)
JOBS, KILLS = 60, 6


class Fleet:
    """Two worker processes on the database of the test, by the name in the rows that they hold."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._started = 0
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        self._started += 1
        name = f"worker {self._started}"
        arguments = [str(connection.settings_dict["NAME"]), str(self._home), name]
        self._processes[name] = subprocess.Popen([sys.executable, str(job_worker.__file__), *arguments])

    def kill_one_at_work(self) -> None:
        """Kill a worker that runs a job, and start another one in its place."""
        give_up_at = clock.monotonic_s() + 60
        while True:
            running = Job.objects.filter(state=JobState.RUNNING, holder__in=self._processes)
            holder = running.values_list("holder", flat=True).first()
            if holder is not None:
                break
            assert clock.monotonic_s() < give_up_at, "no worker runs a job"
            time.sleep(0.02)
        self._end(holder)
        self.start()

    def end(self) -> None:
        for name in list(self._processes):
            self._end(name)

    def _end(self, name: str) -> None:
        process = self._processes.pop(name)
        process.kill()
        process.wait()


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    made = Fleet(tmp_path)
    yield made
    made.end()


def test_no_job_is_lost_and_no_effect_happens_twice(fleet: Fleet) -> None:
    # A job may meet more than one kill; giving up is tested elsewhere.
    known = kind(KIND, lambda _job, _argument: Outcome(code="done"), argument=Slow, outcomes={"done": _("Done")})
    with kinds.KINDS.replaced(Kinds(known)):
        jobs = [
            actions.accept(actor=SYSTEM, org_id=DEFAULT_ORG_ID, kind=KIND, argument=Slow(number, 0.2 + number % 5 / 2))
            for number in range(JOBS)
        ]
        for _worker in range(2):
            fleet.start()
        for _kill in range(KILLS):
            fleet.kill_one_at_work()
        states = Counter(ended(job).state for job in jobs)
    given_up = sum(job.losses > claims.MAX_LOSSES for job in jobs)
    assert states == Counter({JobState.SUCCEEDED: JOBS - given_up, **({JobState.FAILED: given_up} if given_up else {})})
    effects = Counter(row.payload["number"] for row in OutboxMessage.objects.filter(topic=EFFECT))
    succeeded = [number for number, job in enumerate(jobs) if job.state == JobState.SUCCEEDED]
    assert effects == Counter(succeeded)
    assert any(job.token > 1 for job in jobs), "no job was interrupted, so nothing was shown"
