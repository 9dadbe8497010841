"""Runs the work of a job and stores its end."""

import logging
from pathlib import Path
from typing import Any

import msgspec
from django.db import DatabaseError
from django.utils import translation
from django.utils.translation import gettext as _

from postern.apps.jobs.engine import claims, endings
from postern.apps.jobs.engine.errors import CancelWanted, LogLost, Lost, TimeUp, WorkerStops
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.engine.kinds import JobKind, OnLost, Outcome
from postern.apps.jobs.engine.models import Job, JobState
from postern.apps.jobs.logs.files import LogWriter

log = logging.getLogger(__name__)


def run(job: Job, kind: JobKind[Any], current: JobRun) -> None:
    """Do the work and store its end. Raises nothing but errors of the database, after which the lease runs out."""
    with translation.override(job.language):
        try:
            outcome = kind.run(current, msgspec.convert(job.argument, kind.argument))
            _store(job, JobState.SUCCEEDED if outcome.succeeded else JobState.FAILED, outcome)
        except Lost:
            log.warning("job %s (%s) was taken away from this worker", job.pk, job.kind)
        except CancelWanted:
            values = Job.objects.values_list("outcome_values", flat=True).get(pk=job.pk)
            current.say(_("Cancelled."))
            _store(job, JobState.CANCELLED, Outcome(code="cancelled", values=values))
        except TimeUp:
            minutes = int(kind.time_limit.total_seconds() // 60)
            current.say(_("The time limit of %(minutes)d minutes is over.") % {"minutes": minutes})
            _store(job, JobState.FAILED, Outcome(code="time_limit", values={"minutes": minutes}))
        except LogLost:
            end_without_log(job)
        except WorkerStops:
            if kind.on_lost is OnLost.RERUN:
                current.say(_("The worker stops. Another one starts this job again."))
                claims.give_back(job.pk, job.token)
            else:
                claims.lose(job.pk, job.token)
        except DatabaseError:
            raise
        except Exception:  # whatever the work raises, the job must end
            log.exception("job %s (%s) failed", job.pk, job.kind)
            current.say(_("An error in Postern ended this job. The worker's log says more."))
            _store(job, JobState.FAILED, Outcome(code="fault"))


def _store(job: Job, state: JobState, outcome: Outcome) -> None:
    with endings.final(job.pk, job.token) as ending:
        if ending is None:
            log.warning("the result of job %s (%s) came too late and was dropped", job.pk, job.kind)
            return
        if outcome.effect is not None:
            outcome.effect()
        ending.end(state, outcome.code, outcome.values)


def end_without_log(job: Job) -> None:
    """End a job whose log cannot be written."""
    _store(job, JobState.FAILED, Outcome(code="log_lost"))


def open_log(home: Path, job: Job) -> LogWriter:
    """The log of this claim."""
    return LogWriter(home, job.pk, job.token)
