"""The in-process bus of typed events: how an app at the bottom tells apps above it, which it must not import.

Events are frozen dataclasses in `apps/<x>/events.py`, named in the past tense. An action publishes; the event goes out when
the transaction has been committed. Subscribers register in `AppConfig.ready`. Who must not miss one, even when the process
dies meanwhile, subscribes with `foundation.outbox.subscribe` instead; whose own write belongs to the same transaction takes
part with `take_part`.
"""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from django.db import transaction

logger = logging.getLogger(__name__)

_Event = TypeVar("_Event")
_subscribers: dict[type[Any], list[Callable[[Any], None]]] = {}
_partners: dict[type[Any], list[Callable[[Any], None]]] = {}


def subscribe(event_type: type[_Event], subscriber: Callable[[_Event], None]) -> None:
    """Call `subscriber` for each published event of exactly this type."""
    known = _subscribers.setdefault(event_type, [])
    if subscriber not in known:
        known.append(subscriber)


def take_part(event_type: type[_Event], partner: Callable[[_Event], None]) -> None:
    """Call `partner` inside the transaction that publishes an event of this type: both happen, or neither.

    For what must not be lost when the process dies between the commit and the subscribers. A partner that fails undoes the
    whole write.
    """
    known = _partners.setdefault(event_type, [])
    if partner not in known:
        known.append(partner)


def publish_after_commit(event: object) -> None:
    """Publish `event` once the present transaction is committed; at once when there is none."""
    for partner in _partners.get(type(event), ()):
        partner(event)
    transaction.on_commit(lambda: _publish(event))


def _publish(event: object) -> None:
    for subscriber in _subscribers.get(type(event), ()):
        try:
            subscriber(event)
        except Exception:  # what was committed stands: one subscriber's fault must not hide it from the others
            logger.exception("a subscriber of %s failed", type(event).__name__)


#: The short name that the actions use.
publish = publish_after_commit
