"""How a job leaves its claim: with a final state, or back to the waiting jobs. Each happens at most once for a claim."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Now

from postern.apps.audits import facade as audits
from postern.apps.jobs.engine.kinds import KINDS
from postern.apps.jobs.engine.models import Job, JobState
from postern.foundation.caller.actor import SYSTEM, Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.foundation.phrases import stored
from postern.kernel.sentences import Sentence


@dataclass(slots=True)
class Ending:
    """A locked row whose claim still holds. Call one of the methods once."""

    job: Job

    def end(self, state: JobState, code: str, values: Mapping[str, Any] | None = None, *, by: Actor = SYSTEM) -> None:
        """Store the final state and record it."""
        job = self.job
        values = values or {}
        job.state, job.outcome = state, code
        job.outcome_values = {
            name: stored(value) or "" if isinstance(value, Sentence) else value for name, value in values.items()
        }
        job.open_key, job.lease_until, job.holder = None, None, ""
        job.date_finished = Now()
        job.save(
            update_fields=[
                "state",
                "outcome",
                "outcome_values",
                "open_key",
                "lease_until",
                "holder",
                "date_finished",
                "losses",
            ]
        )
        kind = KINDS.value.get(job.kind)
        if kind is not None and kind.settle is not None:
            kind.settle(job)
        shown = {name: value.text if isinstance(value, Sentence) else value for name, value in values.items()}
        audits.record(
            actor=by,
            org_id=job.org_id,
            event=audits.Event.JOB_FINISHED,
            object_type="Job",
            object_id=str(job.pk),
            object_name=job.subject or job.kind,
            new={"kind": job.kind, "state": str(state), "outcome": code, **shown},
        )

    def give_back(self) -> None:
        """Let another worker start it again, at once."""
        job = self.job
        job.state, job.holder, job.lease_until = JobState.WAITING, "", None
        job.save(update_fields=["state", "holder", "lease_until", "losses"])


@contextmanager
def final(job_id: UUID, token: int) -> Iterator[Ending | None]:
    """A transaction in which a claim ends. None when it is not this worker's any more: then nothing may be written."""
    with _locked(Job.objects.filter(pk=job_id, token=token, state=JobState.RUNNING)) as ending:
        yield ending


@contextmanager
def unclaimed(job_id: UUID) -> Iterator[Ending | None]:
    """A transaction in which a waiting job ends. None when it does not wait any more."""
    with _locked(Job.objects.filter(pk=job_id, state=JobState.WAITING)) as ending:
        yield ending


@contextmanager
def _locked(rows: "QuerySet[Job]") -> Iterator[Ending | None]:
    with write_transaction():
        job = rows.select_for_update().first()
        yield Ending(job) if job is not None else None
