"""Periodic tasks of forwarding."""

from typing import Final

from celery import shared_task

from postern.apps.forwarding.syslog import sending as syslog
from postern.apps.forwarding.webhooks import deliveries, queueing, sending
from postern.foundation.parts.schedule import every
from postern.kernel import clock

_SOON_S: Final = 5.0
_AT_ONCE_S: Final = 2.0
_DAY_S: Final = 24 * 3600.0


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def send_webhooks() -> int:
    """Queue new audit events for the webhooks, and send what is due."""
    queueing.queue_audit_events()
    return sending.send_due()


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def send_syslog() -> int:
    """Send new audit events to the syslog receiver."""
    return syslog.send_new_events()


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def forget_old_webhook_deliveries() -> int:
    """Delete deliveries to webhooks that ended long ago."""
    return deliveries.forget_old(clock.now())


BEAT: Final = {
    "forwarding: syslog": every(send_syslog, _AT_ONCE_S),
    "forwarding: webhooks": every(send_webhooks, _SOON_S),
    "forwarding: old deliveries": {
        "task": forget_old_webhook_deliveries.name,
        "schedule": _DAY_S,
        "options": {"expires": _DAY_S},
    },
}
