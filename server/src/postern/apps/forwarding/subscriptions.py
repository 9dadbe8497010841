"""Subscriptions to events of other apps."""

from typing import Final

from postern.apps.forwarding.webhooks import queueing
from postern.apps.notifications.events import SystemMessagePosted
from postern.foundation.bus.events import in_the_write

SUBSCRIPTIONS: Final = (in_the_write(SystemMessagePosted, queueing.on_message_posted),)
