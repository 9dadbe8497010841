"""Outcomes of hosts reach the database although the job is stopped just before they are stored."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from postern.apps.jobs.engine.errors import Stop, WorkerStops
from postern.apps.jobs.executions.models import Execution, HostOutcome, HostResult, HostState
from postern.apps.jobs.hosts.on_assets import AssetRun, AssetWork, Errand, HostAnswer, Place, Verdict
from postern.apps.jobs.models import Job
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db


class Nothing(AssetWork):
    def errand(self, place: Place) -> Errand:
        raise NotImplementedError

    def judge(self, answer: HostAnswer) -> Verdict:
        raise NotImplementedError


class StoppedRun:
    """A job that must end: what is written while it stops is still accepted."""

    @contextmanager
    def write(self, *, is_stopping: bool = False) -> Iterator[None]:
        if not is_stopping:
            raise WorkerStops
        yield


def test_outcome_that_a_stop_kept_from_being_stored_is_stored_while_stopping() -> None:
    job = Job.objects.create(org_id=DEFAULT_ORG_ID, kind="assets.test", argument={})
    execution = Execution.objects.create(job=job, org_id=DEFAULT_ORG_ID, hosts_amount=1)
    row = HostOutcome.objects.create(execution=execution, position=0, asset_id=job.pk, hostname="web-1", ip="192.0.2.1")
    stopped: Any = StoppedRun()
    stopped.id = job.pk
    run = AssetRun(stopped, Nothing(), actor=SYSTEM)
    run.ended(row, Verdict(result=HostResult.DONE))
    with pytest.raises(Stop):
        run._store()
    run._store(is_stopping=True)
    row.refresh_from_db()
    assert (row.state, row.result) == (HostState.ENDED, HostResult.DONE)
