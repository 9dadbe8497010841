"""Scheduled work of the audit log."""

from typing import Any, Final

from celery import shared_task

from postern.apps.audits import checkpoints

BEAT: Final[dict[str, dict[str, Any]]] = {
    "audits-write-checkpoint": {"task": "postern.audits.write_checkpoint", "schedule": 300.0},
}


@shared_task(name="postern.audits.write_checkpoint")  # type: ignore[untyped-decorator]  # celery has no types
def write_checkpoint() -> bool:
    """Remember outside the database how far the chains have come."""
    return checkpoints.write()
