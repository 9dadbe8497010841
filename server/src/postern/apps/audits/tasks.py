"""Scheduled work of the audit log."""

from threading import Event as Signal
from typing import Any, Final

from celery import shared_task, signals

from postern.apps.audits import checkpoints, verifications

_VERIFY_S: Final = 3.0

BEAT: Final[dict[str, dict[str, Any]]] = {
    "audits-write-checkpoint": {"task": "postern.audits.write_checkpoint", "schedule": 300.0},
    # The row is what asks for a verification, so that none is lost with the broker; this is how long it waits at most.
    "audits-verify": {"task": "postern.audits.verify", "schedule": _VERIFY_S, "options": {"expires": _VERIFY_S}},
}

_stopping: Final = Signal()


@signals.worker_shutting_down.connect  # type: ignore[untyped-decorator]  # celery has no types
def _stop(**_details: object) -> None:
    """A worker that is told to end finishes its jobs first: a long verification must not keep it."""
    _stopping.set()


@shared_task(name="postern.audits.write_checkpoint")  # type: ignore[untyped-decorator]  # celery has no types
def write_checkpoint() -> bool:
    """Remember outside the database how far the chains have come."""
    return checkpoints.write()


@shared_task(name="postern.audits.verify")  # type: ignore[untyped-decorator]  # celery has no types
def verify() -> bool:
    """Verify the log, if somebody asked for it."""
    return verifications.work(stop=_stopping)
