"""Scheduled work of the audit log."""

from threading import Event as Signal
from typing import Any, Final

from celery import shared_task, signals

from postern.apps.audits import checkpoints, verifications

_VERIFY_S: Final = 3.0

BEAT: Final[dict[str, dict[str, Any]]] = {
    "audits-write-checkpoint": {"task": "postern.audits.write_checkpoint", "schedule": 300.0},
    # Interval at which the worker looks for a requested verification. The request is a row, so it survives a lost
    # broker message.
    "audits-verify": {"task": "postern.audits.verify", "schedule": _VERIFY_S, "options": {"expires": _VERIFY_S}},
}

_stopping: Final = Signal()


@signals.worker_shutting_down.connect  # type: ignore[untyped-decorator]  # celery has no types
def _stop(**_details: object) -> None:
    """Set when the worker is asked to stop.

    A worker finishes its jobs first, and a long verification must not delay that.
    """
    _stopping.set()


@shared_task(name="postern.audits.write_checkpoint")  # type: ignore[untyped-decorator]  # celery has no types
def write_checkpoint() -> bool:
    """Write the heads of the chains to the checkpoint file."""
    return checkpoints.write()


@shared_task(name="postern.audits.verify")  # type: ignore[untyped-decorator]  # celery has no types
def verify() -> bool:
    """Run the requested verification, if any."""
    return verifications.work(stop=_stopping)
