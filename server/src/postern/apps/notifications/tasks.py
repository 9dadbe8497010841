"""Periodic tasks of messages."""

from typing import Final

from celery import shared_task

from postern.apps.notifications import actions
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

_DAY_S: Final = 24 * 3600.0


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def forget_old_messages() -> int:
    """Delete messages older than the retention period."""
    return actions.forget_old(actor=SYSTEM, now=clock.now())


BEAT: Final = {
    "notifications: old messages": {
        "task": forget_old_messages.name,
        "schedule": _DAY_S,
        "options": {"expires": _DAY_S},
    }
}
