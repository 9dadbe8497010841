"""Accepting and cancelling jobs."""

import hashlib
from collections.abc import Callable
from typing import Any
from uuid import UUID

import msgspec
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import translation
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.jobs.engine import endings
from postern.apps.jobs.engine.errors import JobOver
from postern.apps.jobs.engine.kinds import KINDS
from postern.apps.jobs.engine.models import Job, JobState
from postern.foundation.bus import waking
from postern.foundation.caller import identity
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction


@write_transaction()
def accept(
    *,
    actor: Actor,
    org_id: UUID,
    kind: str,
    argument: msgspec.Struct,
    subject: str = "",
    with_it: Callable[[Job], None] = lambda _job: None,
    is_news: bool = False,
) -> Job:
    """Store a job; from the commit on it reaches a final state, whatever happens to workers and broker.

    If the kind lets requests join and an equal job is open, that job is returned. `with_it` stores what belongs to a new
    job, in the same transaction. With `is_news` only a job that has not started is joined: a running job may have read
    what has just been changed. Raises UnknownKind.
    """
    declared = KINDS.value.named(kind)
    values: dict[str, Any] = msgspec.to_builtins(argument)
    work_key = hashlib.sha256(msgspec.json.encode(values, order="sorted")).hexdigest() if declared.joins else None
    if actor.is_user:
        identity.require_standing(actor)
    while True:
        same, key = _joined(org_id, kind, work_key, is_news=is_news) if work_key is not None else (None, None)
        if same is not None:
            return same
        job = Job(
            org_id=org_id,
            kind=kind,
            subject=subject[:255],
            argument=values,
            open_key=key,
            language=translation.get_language() or "en",
            created_by_id=actor.user_id,
            created_by=actor.label[:128],
        )
        try:
            with transaction.atomic():
                job.save(force_insert=True)
        except IntegrityError:  # an equal request was stored first; its job may have begun or ended since
            if key is None:
                raise
        else:
            break
    with_it(job)
    audits.record(
        actor=actor,
        org_id=org_id,
        event=audits.Event.JOB_REQUESTED,
        object_type="Job",
        object_id=str(job.pk),
        object_name=job.subject or kind,
        new={"kind": kind, **values},
    )
    waking.wake_after_commit(waking.JOBS)
    return job


def _joined(org_id: UUID, kind: str, key: str, *, is_news: bool) -> tuple[Job | None, str]:
    """The open job that a request with this key joins, or the key of a new job."""
    same = _open_job(org_id, kind, key, is_locked=is_news)
    while is_news and same is not None and same.state == JobState.RUNNING:
        key = hashlib.sha256(f"{key} after {same.pk}".encode()).hexdigest()
        same = _open_job(org_id, kind, key, is_locked=True)
    return same, key


def _open_job(org_id: UUID, kind: str, key: str, *, is_locked: bool) -> Job | None:
    """The open job with this key. A waiting job that is locked starts only after this transaction."""
    rows = Job.objects.filter(org_id=org_id, kind=kind, open_key=key)
    job: Job | None = (rows.select_for_update(no_key=True) if is_locked else rows).first()
    return job


def cancel(*, actor: Actor, job_id: UUID) -> None:
    """Cancel a job. A running job ends within seconds; a finished job raises JobOver."""
    with write_transaction():
        identity.require_standing(actor)
        job = Job.objects.select_for_update().get(pk=job_id)
        if not job.is_open:
            raise JobOver(_("This job has ended already."))
        if job.date_cancel_requested is not None:
            return
        job.outcome_values = {"by": actor.label}
        job.date_cancel_requested = Now()
        job.save(update_fields=["outcome_values", "date_cancel_requested"])
        audits.record(
            actor=actor,
            org_id=job.org_id,
            event=audits.Event.JOB_CANCELLED,
            object_type="Job",
            object_id=str(job.pk),
            object_name=job.subject or job.kind,
            new={"kind": job.kind, "state": job.state},
        )
        if job.state == JobState.WAITING:
            endings.Ending(job).end(JobState.CANCELLED, "cancelled", job.outcome_values, by=actor)
