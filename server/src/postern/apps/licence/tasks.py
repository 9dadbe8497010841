"""Periodic work of the licence."""

from typing import Final

from celery import shared_task

from postern.apps.licence import actions

_HOUR_S: Final = 3600.0


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def warn_of_end() -> bool:
    """Warn the administrators once a day that the licence ends soon.

    Runs every hour, so that a restart skips no day.
    """
    return actions.warn_of_end()


BEAT: Final = {
    "licence: warn of its end": {
        "task": warn_of_end.name,
        "schedule": _HOUR_S,
        "options": {"expires": _HOUR_S},
    }
}
