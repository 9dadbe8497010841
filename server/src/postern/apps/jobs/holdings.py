"""What organizations own in this app. Jobs are records of work: they keep no organization from being deleted."""

from typing import Final

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from postern.apps.jobs.engine.models import OPEN_STATES, Job
from postern.apps.orgs import facade as orgs


def _open() -> "QuerySet[Job]":
    rows: QuerySet[Job] = Job.objects.filter(state__in=OPEN_STATES)
    return rows


HOLDINGS: Final = (orgs.Holding(label=_("Running jobs"), rows=_open),)
