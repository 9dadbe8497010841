"""What organizations own in this app. Jobs are records of work: they keep no organization from being deleted."""

from typing import Final

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from postern.apps.jobs.engine.models import OPEN_STATES, Job
from postern.apps.jobs.host_tasks.models import HostTask
from postern.apps.orgs import facade as orgs


def _open() -> "QuerySet[Job]":
    rows: QuerySet[Job] = Job.objects.filter(state__in=OPEN_STATES)
    return rows


def _made() -> "QuerySet[HostTask]":
    """Tasks that a person made or scheduled; those that a request for work made are records."""
    rows: QuerySet[HostTask] = HostTask.objects.filter(Q(is_periodic=True) | Q(work_key__isnull=True))
    return rows


HOLDINGS: Final = (
    orgs.Holding(label=_("Running jobs"), rows=_open),
    orgs.Holding(label=_("Tasks of the job center"), rows=_made),
)
