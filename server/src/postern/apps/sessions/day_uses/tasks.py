"""Counts the days that are over."""

from typing import Final

from celery import shared_task

from postern.apps.sessions.day_uses import counting
from postern.foundation.parts.schedule import every
from postern.kernel import clock

_OFTEN_S: Final = 600.0


@shared_task(name="postern.apps.sessions.tasks.count_days")  # type: ignore[untyped-decorator]  # celery has no types
def count_days() -> int:
    """Count the sessions of the days that are over."""
    return counting.count_ended_days(clock.now())


BEAT: Final = {"sessions: days": every(count_days, _OFTEN_S)}
