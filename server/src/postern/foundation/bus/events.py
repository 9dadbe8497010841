"""The in-process bus of typed events. It lets an app notify apps above it in the stack, which it must not import.

Events are frozen dataclasses in the `events.py` of a resource, named in the past tense. Actions publish events;
subscribers are called after the transaction has been committed. An app lists its subscriptions in `subscriptions.py`,
and the composition root connects them:

    SUBSCRIPTIONS: Final = (
        after_commit(UserClosed, _end_sessions),          # lost if the process dies before the call
        in_the_write(MembershipChanged, _forget_grants),  # writes in the same transaction
        outbox.kept(TerminalLost, notices.on_lost),       # stored, never lost: see `outbox`
        *once_for_a_write((Bound, Placed), _push),        # all events of a write at its end, in the same transaction
    )
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
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


_Gathered = dict[Callable[[Sequence[Any]], None], list[Any]]
_gathered: ContextVar[_Gathered | None] = ContextVar("events of the present write, by their handler", default=None)


def once_for_a_write(
    event_types: Iterable[type[Any]], handle: Callable[[Sequence[Any]], None]
) -> tuple[Subscription, ...]:
    """Call `handle` once for a write, at the end of its transaction, with all its events of these types in their order.

    If it raises, the whole write is rolled back. Outside a `write_transaction` it is called for each event.
    """

    def collect(event: Any) -> None:
        gathered = _gathered.get()
        if gathered is None:
            handle([event])
        else:
            gathered.setdefault(handle, []).append(event)

    return tuple(Subscription(event_type, collect, is_in_write=True) for event_type in event_types)


@contextmanager
def gathering() -> Iterator[None]:
    """Gather the events of the block for `once_for_a_write`. A nested block passes its events to the outer block.

    Events of a block that raises are dropped.
    """
    outer = _gathered.get()
    own: _Gathered = {}
    token = _gathered.set(own)
    try:
        yield
    finally:
        _gathered.reset(token)
    for handle, happened in own.items():
        if outer is None:
            handle(happened)
        else:
            outer.setdefault(handle, []).extend(happened)


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
