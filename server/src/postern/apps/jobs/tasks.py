"""Periodic work of jobs."""

from typing import Final

from celery import shared_task
from django.conf import settings

from postern.apps.jobs.engine import housekeeping
from postern.foundation.parts.schedule import every

_HOUR_S: Final = 3600.0


@shared_task(name="postern.jobs.forget_old")  # type: ignore[untyped-decorator]  # celery has no types
def forget_old() -> int:
    """Delete jobs that ended long ago."""
    return housekeeping.forget_old(settings.POSTERN.home)


BEAT: Final = {"jobs: forget old": every(forget_old, _HOUR_S)}
