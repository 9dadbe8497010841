"""Background tasks of the foundation: delivering the outbox, and the worker's sign of life."""

from typing import Any, Final

from celery import shared_task

from postern.foundation.bus import outbox
from postern.foundation.parts import health

BEAT: Final[dict[str, dict[str, Any]]] = {
    "foundation-deliver-outbox": {"task": outbox.DELIVER, "schedule": 5.0},
    "foundation-stamp-worker": {"task": "postern.foundation.stamp_worker", "schedule": 10.0},
}


@shared_task(name=outbox.DELIVER)  # type: ignore[untyped-decorator]  # celery has no types
def deliver_outbox() -> int:
    """Deliver the messages in the outbox that are due."""
    return outbox.drain()


@shared_task(name="postern.foundation.stamp_worker")  # type: ignore[untyped-decorator]  # celery has no types
def stamp_worker() -> None:
    """Show that schedule, broker and worker work together."""
    health.stamp_worker()
