"""Periodic tasks of accounts."""

from typing import Final

from celery import shared_task

from postern.apps.users import housekeeping
from postern.foundation.caller.actor import SYSTEM

_DAY_S: Final = 24 * 3600.0


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def forget_old_links() -> int:
    """Delete links and invitations that expired long ago."""
    return housekeeping.forget_old(actor=SYSTEM)


BEAT: Final = {
    "users: forget old links": {
        "task": forget_old_links.name,
        "schedule": _DAY_S,
        "options": {"expires": _DAY_S},
    }
}
