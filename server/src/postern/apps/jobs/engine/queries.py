"""Reads of jobs."""

import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from postern.apps.jobs.engine import policy
from postern.apps.jobs.engine.kinds import KINDS
from postern.apps.jobs.engine.models import Job
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.kernel import clock

_LOOK_S: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """A job as people see it. `title` and `sentence` are in the language of the request; `sentence` says how it ended."""

    id: UUID
    title: str
    subject: str
    state: str
    state_display: str
    sentence: str
    created_by: str
    date_created: datetime
    date_start: datetime | None
    date_finished: datetime | None
    total: int
    done: int
    failed: int
    is_open: bool
    is_cancelling: bool


def readable(actor: Actor, scope: OrgScope, job_id: UUID) -> Job | None:
    """The job, if it exists and the person may read it."""
    job = Job.objects.filter(pk=job_id).first()
    return job if job is not None and policy.may_read(actor, scope, job) else None


def ended_within(job_id: UUID, seconds: float) -> Job | None:
    """Wait until a job has ended, for calls whose contract wants its result in the answer. None if it takes longer.

    Not in a transaction, which would not see the end.
    """
    until = clock.monotonic_s() + seconds
    while True:
        job: Job = Job.objects.get(pk=job_id)
        if not job.is_open:
            return job
        if clock.monotonic_s() > until:
            return None
        time.sleep(_LOOK_S)


def view_of(job: Job) -> JobView:
    """What the console shows of a job."""
    kind = KINDS.value.get(job.kind)
    values: dict[str, Any] = job.outcome_values
    return JobView(
        id=job.pk,
        title=str(kind.label) if kind else job.kind,
        subject=job.subject,
        state=job.state,
        state_display=job.get_state_display(),
        sentence=kind.sentence(job.outcome, values) if kind and job.outcome else "",
        created_by=job.created_by,
        date_created=job.date_created,
        date_start=job.date_start,
        date_finished=job.date_finished,
        total=job.total,
        done=job.done,
        failed=job.failed,
        is_open=job.is_open,
        is_cancelling=job.is_open and job.date_cancel_requested is not None,
    )
