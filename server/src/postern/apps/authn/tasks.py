"""Periodic tasks of sign-in."""

from typing import Final

from celery import shared_task

from postern.apps.authn import housekeeping
from postern.foundation.caller.actor import SYSTEM

_HOUR_S: Final = 3600.0


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def forget_old_sign_ins() -> None:
    """Delete expired rows."""
    housekeeping.forget_old(actor=SYSTEM)


BEAT: Final = {
    "authn: forget old sign-ins": {
        "task": forget_old_sign_ins.name,
        "schedule": _HOUR_S,
        "options": {"expires": _HOUR_S},
    }
}
