"""How workers get jobs, keep them, and lose them.

A worker claims waiting jobs, extends their leases while it runs them, and loses those whose leases run out. All of it is
judged by the clock of the database.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from postern.apps.jobs.engine import endings
from postern.apps.jobs.engine.database_clock import now_plus
from postern.apps.jobs.engine.kinds import KINDS, JobKind, OnLost
from postern.apps.jobs.engine.models import Job, JobState

#: How long a job belongs to a worker that is not heard of. Heartbeats are much more frequent.
LEASE: Final = timedelta(seconds=25)
#: How often a job is started again after a worker was lost with it.
MAX_LOSSES: Final = 3
#: Key of PostgreSQL's advisory lock: limits hold only if workers count and claim one after the other.
_TURN: Final = 0x706A6F62


def is_anything_due(kind_names: Iterable[str]) -> bool:
    """Whether a job of these kinds waits and is due. One look into a partial index."""
    return Job.objects.filter(state=JobState.WAITING, kind__in=list(kind_names), date_due__lte=Now()).exists()


@transaction.atomic
def claim(room: Mapping[str, int], *, holder: str) -> list[Job]:
    """Claim jobs for this worker: of each kind in `room` at most that many, within the limits of the kind.

    Of several organizations, the organization with the fewest running jobs of the kind comes first.
    """
    _take_turn()
    claimed: list[Job] = []
    for name, free in room.items():
        kind = KINDS.value.named(name)
        running = Job.objects.filter(state=JobState.RUNNING, kind=name).values_list("org_id", "created_by_id")
        of_org, of_one = Counter[UUID](), Counter[UUID | None]()
        for org_id, person_id in running:
            of_org[org_id] += 1
            of_one[person_id] += 1
        for _ in range(min(free, kind.at_once - of_org.total())):
            job = _next(kind, of_org, of_one)
            if job is None:
                break
            of_org[job.org_id] += 1
            of_one[job.created_by_id] += 1
            _take(job, holder)
            claimed.append(job)
    return claimed


def extend(tokens: Mapping[UUID, int]) -> dict[UUID, bool]:
    """Extend the leases of these claims. Returns those that still hold, each with whether it shall be cancelled."""
    if not tokens:
        return {}
    # Bounded: a worker runs a few dozen jobs at once.
    held = Q(pk__in=[])
    for job_id, token in tokens.items():
        held |= Q(pk=job_id, token=token)
    rows = Job.objects.filter(held, state=JobState.RUNNING)
    rows.update(lease_until=now_plus(LEASE))
    return {pk: wanted is not None for pk, wanted in rows.values_list("pk", "date_cancel_requested")}


def cancelled_among(job_ids: Iterable[UUID]) -> set[UUID]:
    """Those of the running jobs that somebody cancelled."""
    rows = Job.objects.filter(pk__in=list(job_ids), date_cancel_requested__isnull=False)
    return set(rows.values_list("pk", flat=True))


def sweep() -> int:
    """Handle the jobs whose workers are gone; returns their number."""
    rows = Job.objects.filter(state=JobState.RUNNING, lease_until__lt=Now())
    gone = list(rows.values_list("pk", "token"))
    return sum(lose(job_id, token) for job_id, token in gone)


def void(holder: str) -> int:
    """Lose everything that an earlier process of this worker held. Only for a caller that knows that it has ended."""
    rows = Job.objects.filter(state=JobState.RUNNING, holder=holder)
    return sum(lose(job_id, token) for job_id, token in list(rows.values_list("pk", "token")))


def lose(job_id: UUID, token: int) -> bool:
    """Decide what becomes of a job whose worker was lost: again, or over. False if the claim is over already."""
    with endings.final(job_id, token) as ending:
        if ending is None:
            return False
        job = ending.job
        kind = KINDS.value.get(job.kind)
        job.losses += 1
        if job.date_cancel_requested is not None:
            ending.end(JobState.CANCELLED, "cancelled", job.outcome_values)
        elif kind is None:
            ending.end(JobState.FAILED, "kind_unknown")
        elif kind.on_lost is OnLost.STOP:
            ending.end(JobState.INTERRUPTED, "lost")
        elif job.losses > MAX_LOSSES:
            ending.end(JobState.FAILED, "lost_often", {"times": job.losses})
        else:
            ending.give_back()
    return True


def give_back(job_id: UUID, token: int) -> bool:
    """A worker that stops returns a job that can be started again. It does not count as lost."""
    with endings.final(job_id, token) as ending:
        if ending is None:
            return False
        ending.give_back()
    return True


def end_unknown(known: Iterable[str]) -> int:
    """End waiting jobs of kinds that no worker of this version knows. Returns their number."""
    rows = Job.objects.filter(state=JobState.WAITING).exclude(kind__in=list(known))
    ended = 0
    for job in rows.only("pk")[:100]:
        with endings.unclaimed(job.pk) as ending:
            if ending is not None:
                ending.end(JobState.FAILED, "kind_unknown")
                ended += 1
    return ended


def _next(kind: JobKind[Any], of_org: Counter[UUID], of_one: Counter[UUID | None]) -> Job | None:
    full = [org_id for org_id, running in of_org.items() if running >= kind.at_once_in_org]
    most = kind.at_once_of_one
    busy = [] if most is None else [person for person, running in of_one.items() if person and running >= most]
    rows = Job.objects.filter(state=JobState.WAITING, kind=kind.name, date_due__lte=Now()).exclude(org_id__in=full)
    rows = rows.exclude(created_by_id__in=busy) if busy else rows
    ordered = rows.order_by("date_due", "id")
    job: Job | None = ordered.exclude(org_id__in=list(of_org)).first() or ordered.first()
    return job


def _take(job: Job, holder: str) -> None:
    Job.objects.filter(pk=job.pk).update(
        state=JobState.RUNNING,
        token=F("token") + 1,
        holder=holder,
        lease_until=now_plus(LEASE),
        date_start=Now(),
        done=0,
        failed=0,
        total=0,
    )
    job.refresh_from_db()


def _take_turn() -> None:
    # SQLite has one writer at a time anyway, and its transactions take their turn at the beginning.
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_TURN])
