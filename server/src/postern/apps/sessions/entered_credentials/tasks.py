"""Periodic task for entered credentials."""

from typing import Final

from celery import shared_task

from postern.apps.sessions.entered_credentials import actions
from postern.foundation.parts.schedule import every

_PURGE_S: Final = 60.0


@shared_task(name="postern.apps.sessions.tasks.purge_entered_credentials")  # type: ignore[untyped-decorator]  # celery has no types
def purge_entered_credentials() -> int:
    """Delete credentials that were entered more than five minutes ago."""
    return actions.purge()


BEAT: Final = {"sessions: entered credentials": every(purge_entered_credentials, _PURGE_S)}
