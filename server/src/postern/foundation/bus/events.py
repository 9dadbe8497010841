"""The in-process bus of typed events. It lets an app notify apps above it in the stack, which it must not import.

Events are frozen dataclasses in the `events.py` of a resource, named in the past tense. Actions publish events;
subscribers are called after the transaction has been committed. An app lists its subscriptions in `subscriptions.py`,
and the composition root connects them:

    SUBSCRIPTIONS: Final = (
        after_commit(UserClosed, _end_sessions),          # lost if the process dies before the call
        in_the_write(MembershipChanged, _forget_grants),  # writes in the same transaction
        outbox.kept(TerminalLost, notices.on_lost),       # stored, never lost: see `outbox`
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
    """A handler for events of exactly this type, called inside the publishing transaction or after its commit."""

    event_type: type[Any]
    handle: Callable[[Any], None]
    is_in_write: bool


def after_commit(event_type: type[_Event], subscriber: Callable[[_Event], None]) -> Subscription:
    """Call `subscriber` for each published event of exactly this type, once its transaction is committed."""
    return Subscription(event_type, subscriber, is_in_write=False)


def in_the_write(event_type: type[_Event], partner: Callable[[_Event], None]) -> Subscription:
    """Call `partner` inside the transaction that publishes an event of this type: both are committed, or neither.

    For effects that must not be lost when the process dies between the commit and the subscribers. If a partner raises,
    the whole write is rolled back.
    """
    return Subscription(event_type, partner, is_in_write=True)


class Bus:
    """All subscriptions. Handlers are called in the order of the subscriptions."""

    def __init__(self, subscriptions: Iterable[Subscription]) -> None:
        self._subscriptions = tuple(subscriptions)
        self._partners = self._handlers(is_in_write=True)
        self._subscribers = self._handlers(is_in_write=False)

    def and_also(self, *subscriptions: Subscription) -> Self:
        """A copy of the bus with more subscriptions."""
        return type(self)((*self._subscriptions, *subscriptions))

    def publish_after_commit(self, event: object) -> None:
        """See the module's function of the same name."""
        for partner in self._partners.get(type(event), ()):
            partner(event)
        transaction.on_commit(lambda: self._publish(event))

    def _publish(self, event: object) -> None:
        for subscriber in self._subscribers.get(type(event), ()):
            try:
                subscriber(event)
            except Exception:  # the write is committed: the other subscribers must still be called
                logger.exception("a subscriber of %s failed", type(event).__name__)

    def _handlers(self, *, is_in_write: bool) -> _Handlers:
        handlers_by_type: defaultdict[type[Any], list[Callable[[Any], None]]] = defaultdict(list)
        for subscription in self._subscriptions:
            if subscription.is_in_write == is_in_write:
                handlers_by_type[subscription.event_type].append(subscription.handle)
        return {event_type: tuple(handlers) for event_type, handlers in handlers_by_type.items()}


BUS: Final = Provided[Bus]("the subscriptions to events")


def publish_after_commit(event: object) -> None:
    """Publish `event` after the current transaction is committed; immediately if there is none."""
    BUS.value.publish_after_commit(event)


#: Short name for use in actions.
publish = publish_after_commit
