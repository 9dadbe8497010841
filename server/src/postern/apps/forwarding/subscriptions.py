"""Subscriptions to events of other apps."""

from typing import Final

from postern.apps.audits.events import AuditEventsAppended
from postern.apps.forwarding.streams import waking
from postern.apps.forwarding.webhooks import queueing
from postern.apps.notifications.events import SystemMessagePosted
from postern.foundation.bus.events import after_commit, in_the_write

SUBSCRIPTIONS: Final = (
    in_the_write(SystemMessagePosted, queueing.on_message_posted),
    after_commit(AuditEventsAppended, waking.on_events_appended),
)
