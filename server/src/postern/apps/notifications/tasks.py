"""Periodic tasks of messages."""

from typing import Final

from celery import shared_task

from postern.apps.notifications import (
    actions,
    company_messages,
    deliveries,
    expiry_warnings,
    mailing,
    performance,
    permission_ends,
    receivers,
)
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.parts.schedule import every
from postern.kernel import clock

_DAY_S: Final = 24 * 3600.0
_HOUR_S: Final = 3600.0
#: For what is tried again. New messages wake the worker.
_SOON_S: Final = 5.0
#: Often, so that a restart skips no day, and many users who were created together are warned on the same day.
_EXPIRY_S: Final = 600.0
#: Proxies send heartbeats more often.
_PERFORMANCE_S: Final = 30.0


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def forget_old_messages() -> int:
    """Delete messages older than the retention period."""
    return actions.forget_old(actor=SYSTEM, now=clock.now())


@shared_task(name=receivers.WRITE)  # type: ignore[untyped-decorator]  # celery has no types
def write_receivers() -> int:
    """Give messages to many users to their receivers."""
    return receivers.write_waiting()


@shared_task(name=deliveries.SEND_MAIL)  # type: ignore[untyped-decorator]  # celery has no types
def send_mail() -> int:
    """Send the messages that are due by mail. The worker has the key file, which the password of the account needs."""
    return mailing.send_due()


@shared_task(name=deliveries.SEND_COMPANY_MESSAGES)  # type: ignore[untyped-decorator]  # celery has no types
def send_company_messages() -> int:
    """Send the messages that are due over WeCom, DingTalk and FeiShu."""
    return company_messages.send_due()


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def warn_of_expiry() -> int:
    """Warn users before their password or account ends, once a day."""
    return expiry_warnings.warn_due()


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def warn_of_permission_ends() -> int:
    """Tell the makers of permissions that these end soon, once for each end."""
    return permission_ends.warn_due()


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def watch_performance() -> int:
    """Tell administrators about services of Postern that are overloaded or offline."""
    return performance.watch(clock.now())


BEAT: Final = {
    "notifications: performance": every(watch_performance, _PERFORMANCE_S),
    "notifications: expiry": every(warn_of_expiry, _EXPIRY_S),
    "notifications: ends of permissions": every(warn_of_permission_ends, _HOUR_S),
    "notifications: company messages": every(send_company_messages, _SOON_S),
    "notifications: receivers": every(write_receivers, _SOON_S),
    "notifications: mail": every(send_mail, _SOON_S),
    "notifications: old messages": {
        "task": forget_old_messages.name,
        "schedule": _DAY_S,
        "options": {"expires": _DAY_S},
    },
}
