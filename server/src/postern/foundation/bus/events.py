"""The in-process bus of typed events: how an app at the bottom tells apps above it, which it must not import.

Events are frozen dataclasses in the `events.py` of a resource, named in the past tense. An action publishes; the event goes out when
the transaction has been committed. An app names its subscriptions in `subscriptions.py`, and the composition root connects them:

    SUBSCRIPTIONS: Final = (
        after_commit(UserClosed, _end_sessions),          # may be lost when the process dies meanwhile
        in_the_write(MembershipChanged, _forget_grants),  # its own write belongs to the same transaction
        outbox.kept(TerminalLost, notices.on_lost),       # must not be lost: see `outbox`
    )
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Self, TypeVar

from django.db import transaction

from postern.foundation.provided import Provided

logger = logging.getLogger(__name__)

_Event = TypeVar("_Event")
_Handlers = dict[type[Any], tuple[Callable[[Any], None], ...]]


@dataclass(frozen=True, slots=True)
class Subscription:
    """Who hears of events of exactly this type: inside the transaction that publishes them, or after its commit."""

    event_type: type[Any]
    handle: Callable[[Any], None]
    is_in_write: bool


def after_commit(event_type: type[_Event], subscriber: Callable[[_Event], None]) -> Subscription:
    """Call `subscriber` for each published event of exactly this type, once its transaction is committed."""
    return Subscription(event_type, subscriber, is_in_write=False)


def in_the_write(event_type: type[_Event], partner: Callable[[_Event], None]) -> Subscription:
    """Call `partner` inside the transaction that publishes an event of this type: both happen, or neither.

    For what must not be lost when the process dies between the commit and the subscribers. A partner that fails undoes the
    whole write.
    """
    return Subscription(event_type, partner, is_in_write=True)


class Bus:
    """All subscriptions, which are called in the order in which they are given."""

    def __init__(self, subscriptions: Iterable[Subscription]) -> None:
        self._subscriptions = tuple(subscriptions)
        self._partners = self._handlers(is_in_write=True)
        self._subscribers = self._handlers(is_in_write=False)

    def and_also(self, *subscriptions: Subscription) -> Self:
        """A bus with more subscriptions."""
        return type(self)((*self._subscriptions, *subscriptions))

    def publish_after_commit(self, event: object) -> None:
        """See the function of this name."""
        for partner in self._partners.get(type(event), ()):
            partner(event)
        transaction.on_commit(lambda: self._publish(event))

    def _publish(self, event: object) -> None:
        for subscriber in self._subscribers.get(type(event), ()):
            try:
                subscriber(event)
            except Exception:  # what was committed stands: one subscriber's fault must not hide it from the others
                logger.exception("a subscriber of %s failed", type(event).__name__)

    def _handlers(self, *, is_in_write: bool) -> _Handlers:
        found: defaultdict[type[Any], list[Callable[[Any], None]]] = defaultdict(list)
        for one in self._subscriptions:
            if one.is_in_write == is_in_write:
                found[one.event_type].append(one.handle)
        return {event_type: tuple(handlers) for event_type, handlers in found.items()}


BUS: Final = Provided[Bus]("the subscriptions to events")


def publish_after_commit(event: object) -> None:
    """Publish `event` once the present transaction is committed; at once when there is none."""
    BUS.value.publish_after_commit(event)


#: The short name that the actions use.
publish = publish_after_commit
