"""Events that must not be lost: written down in the same transaction as what they tell, delivered afterwards.

    outbox.kept(TerminalLost, notices.on_terminal_lost)      # among the subscriptions of the receiving app
    events.publish(TerminalLost(...))                        # in an action of the owning app, as ever

A receiver is called at least once, in the worker and within seconds, and must therefore be idempotent. When it fails it is tried again with
growing pauses. Events carry ids and names, never secrets.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, TypeVar

import msgspec
from django.db import connection, transaction

from postern.foundation.bus import events
from postern.foundation.models import OutboxMessage
from postern.foundation.provided import Provided
from postern.kernel import clock

logger = logging.getLogger(__name__)

Receiver = Callable[[Mapping[str, Any]], None]
_Event = TypeVar("_Event")

#: While a receiver runs nobody else takes its message; it must be done by then.
LEASE: Final = timedelta(seconds=60)
_FIRST_PAUSE_S: Final = 5
_LONGEST_PAUSE_S: Final = 600
_TOPIC_CHARS: Final = 64

#: Who takes the messages of a topic.
RECEIVERS: Final = Provided[Mapping[str, Receiver]]("the receivers of the outbox")


class OutsideTransaction(RuntimeError):
    """A message was enqueued without a transaction: it would not be bound to what it tells."""


@dataclass(frozen=True, slots=True)
class Kept(events.Subscription):
    """A subscription whose events are written down. `deliver` takes what was written down under `topic`."""

    topic: str
    deliver: Receiver


def kept(event_type: type[_Event], receiver: Callable[[_Event], None]) -> Kept:
    """Deliver every published event of this type to `receiver`, in the worker, whatever happens to the publisher.

    One receiver for each type of event. Fields are what JSON and msgspec know: text, numbers, ids, instants.
    """
    topic = topic_of(event_type)

    def write_down(event: _Event) -> None:
        with transaction.atomic():
            enqueue(topic, msgspec.to_builtins(event))

    def deliver(payload: Mapping[str, Any]) -> None:
        receiver(msgspec.convert(payload, event_type))

    return Kept(event_type, write_down, is_in_write=True, topic=topic, deliver=deliver)


def topic_of(event_type: type[Any]) -> str:
    """`<app>.events.<name>`: stored with each message, so it stays the same when the event moves within its app."""
    app = event_type.__module__.removeprefix("postern.apps.").partition(".")[0]
    return f"{app}.events.{event_type.__qualname__}"[:_TOPIC_CHARS]


def enqueue(topic: str, payload: Mapping[str, Any]) -> None:
    """Keep a message in the present transaction. Raises OutsideTransaction."""
    if not connection.in_atomic_block:
        raise OutsideTransaction(topic)
    OutboxMessage.objects.create(topic=topic, payload=dict(payload))


def drain(limit: int = 200) -> int:
    """Deliver what is due, oldest first; returns how many messages were delivered."""
    delivered = 0
    for _ in range(limit):
        message = _claim()
        if message is None:
            break
        delivered += _deliver(message)
    return delivered


@transaction.atomic
def _claim() -> OutboxMessage | None:
    """Take the oldest due message for the time of a lease, so that the receiver runs outside any transaction."""
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
            raise LookupError(f"nobody receives {message.topic}")  # noqa: TRY301 - one place decides what failure means
        receiver(message.payload)
    except Exception:  # any failure means: later again
        logger.exception("outbox message %d (%s) failed, attempt %d", message.pk, message.topic, message.attempts)
        pause_s = min(_FIRST_PAUSE_S * 2 ** min(message.attempts - 1, 10), _LONGEST_PAUSE_S)
        OutboxMessage.objects.filter(pk=message.pk).update(date_due=clock.now() + timedelta(seconds=pause_s))
        return 0
    OutboxMessage.objects.filter(pk=message.pk).delete()
    return 1


def receivers_of(subscriptions: Iterable[events.Subscription]) -> dict[str, Receiver]:
    """The receiver of each topic. Raises ValueError when two events have the same one: an app and a name."""
    found: dict[str, Kept] = {}
    for one in subscriptions:
        if isinstance(one, Kept) and found.setdefault(one.topic, one) is not one:
            raise ValueError(f"two receivers of {one.topic}")
    return {topic: one.deliver for topic, one in found.items()}
