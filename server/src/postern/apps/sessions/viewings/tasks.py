"""Periodic tasks for viewings: record those that have ended."""

from typing import Final

from celery import shared_task

from postern.apps.sessions.viewings import actions
from postern.foundation.parts.schedule import every

_VIEWINGS_S: Final = 60.0


@shared_task(name="postern.apps.sessions.tasks.close_idle_viewings")  # type: ignore[untyped-decorator]  # celery has no types
def close_idle_viewings() -> int:
    """Record what was fetched in viewings that have ended."""
    return actions.close_idle_viewings()


BEAT: Final = {
    "sessions: viewings": every(close_idle_viewings, _VIEWINGS_S),
}
