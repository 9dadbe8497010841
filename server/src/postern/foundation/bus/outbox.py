"""Events that must not be lost: stored in the same transaction as the change they report, delivered afterwards.

    outbox.kept(TerminalLost, notices.on_terminal_lost)      # in the subscriptions of the receiving app
    events.publish(TerminalLost(...))                        # in an action of the publishing app, as usual

The worker is woken and calls a receiver at least once, so receivers must be idempotent. A failed delivery is retried
with growing pauses. Events carry ids and names, never secrets.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, TypeVar

import msgspec
from django.db import connection, transaction

from postern.foundation.bus import events, waking
from postern.foundation.models import OutboxMessage
from postern.foundation.provided import Provided
from postern.kernel import clock

logger = logging.getLogger(__name__)

Receiver = Callable[[Mapping[str, Any]], None]
_Event = TypeVar("_Event")

#: While a receiver runs, nobody else claims its message. The receiver must be done within this time.
LEASE: Final = timedelta(seconds=60)
_FIRST_PAUSE_S: Final = 5
_LONGEST_PAUSE_S: Final = 600
_TOPIC_CHARS: Final = 64

#: The periodic task that delivers.
DELIVER: Final = "postern.foundation.deliver_outbox"

#: Receivers by topic.
RECEIVERS: Final = Provided[Mapping[str, Receiver]]("the receivers of the outbox")


class OutsideTransaction(RuntimeError):
    """A message was enqueued outside a transaction, so it could be stored without the change that it reports."""


@dataclass(frozen=True, slots=True)
class Kept(events.Subscription):
    """A subscription whose events are stored under `topic`. `deliver` passes a stored event to the receiver."""

    topic: str
    deliver: Receiver


def kept(event_type: type[_Event], receiver: Callable[[_Event], None]) -> Kept:
    """Store every published event of this type and deliver it to `receiver` in the worker, even if the publisher dies.

    Each event type has one receiver. Fields must be types that JSON and msgspec support: text, numbers, ids, datetimes.
    """
    topic = topic_of(event_type)

    def write_down(event: _Event) -> None:
        with transaction.atomic():
            enqueue(topic, msgspec.to_builtins(event))

    def deliver(payload: Mapping[str, Any]) -> None:
        receiver(msgspec.convert(payload, event_type))

    return Kept(event_type, write_down, is_in_write=True, topic=topic, deliver=deliver)


def topic_of(event_type: type[Any]) -> str:
    """`<app>.events.<name>`: stored with each message, so it must not change when the event moves within its app."""
    app = event_type.__module__.removeprefix("postern.apps.").partition(".")[0]
    return f"{app}.events.{event_type.__qualname__}"[:_TOPIC_CHARS]


def enqueue(topic: str, payload: Mapping[str, Any]) -> None:
    """Store a message in the current transaction. Raises OutsideTransaction."""
    if not connection.in_atomic_block:
        raise OutsideTransaction(topic)
    OutboxMessage.objects.create(topic=topic, payload=dict(payload))
    waking.wake_after_commit(DELIVER)


def drain(limit: int = 200) -> int:
    """Deliver the messages that are due, oldest first. Returns the number of delivered messages."""
    delivered = 0
    for _ in range(limit):
        message = _claim()
        if message is None:
            break
        delivered += _deliver(message)
    return delivered


@transaction.atomic
def _claim() -> OutboxMessage | None:
    """Claim the oldest due message by a lease, so that the receiver can run outside any transaction."""
    due = OutboxMessage.objects.filter(date_due__lte=clock.now()).order_by("date_due", "id")
    if connection.features.has_select_for_update_skip_locked:
        due = due.select_for_update(skip_locked=True)
    message = due.first()
    if message is None:
        return None
    message.attempts += 1
    message.date_due = clock.now() + LEASE
    message.save(update_fields=["attempts", "date_due"])
    return message


def _deliver(message: OutboxMessage) -> int:
    receiver = RECEIVERS.value.get(message.topic)
    try:
        if receiver is None:
            raise LookupError(f"no receiver for {message.topic}")  # noqa: TRY301 - one place decides what failure means
        receiver(message.payload)
    except Exception:  # whatever failed, the message is delivered again later
        logger.exception("outbox message %d (%s) failed, attempt %d", message.pk, message.topic, message.attempts)
        pause_s = min(_FIRST_PAUSE_S * 2 ** min(message.attempts - 1, 10), _LONGEST_PAUSE_S)
        OutboxMessage.objects.filter(pk=message.pk).update(date_due=clock.now() + timedelta(seconds=pause_s))
        return 0
    OutboxMessage.objects.filter(pk=message.pk).delete()
    return 1


def receivers_of(subscriptions: Iterable[events.Subscription]) -> dict[str, Receiver]:
    """The receiver of each topic. Raises ValueError when two event types share a topic (same app, same name)."""
    subscription_of_topic: dict[str, Kept] = {}
    for subscription in subscriptions:
        if (
            isinstance(subscription, Kept)
            and subscription_of_topic.setdefault(subscription.topic, subscription) is not subscription
        ):
            raise ValueError(f"two receivers of {subscription.topic}")
    return {topic: subscription.deliver for topic, subscription in subscription_of_topic.items()}
