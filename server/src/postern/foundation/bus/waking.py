"""Tells the workers at once that there is work, so that it does not wait for the next run of its periodic task.

    waking.wake_after_commit(DELIVER_OUTBOX)

A hint only: it may be lost, because the periodic task looks by itself. Each worker hears each hint; the work claims its
rows, so that several workers share it.
"""

import logging
import threading
from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.db import transaction
from redis import Redis
from redis.exceptions import RedisError

from postern.foundation.bus.gathered import Gathered

log = logging.getLogger(__name__)

#: The hint about jobs. The other hints are names of periodic tasks.
JOBS: Final = "jobs"
_CHANNEL: Final = "postern:work"
_ANSWER_S: Final = 2.0
_PAUSE_S: Final = 2.0


def wake_after_commit(work: str) -> None:
    """Send the hint after commit, in a thread: a Redis that does not answer must not hold up a request."""
    transaction.on_commit(lambda: _HINTS.ask(work))


def _send(works: frozenset[str]) -> None:
    try:
        with _redis() as redis:
            for work in works:
                redis.publish(_CHANNEL, work)
    except (RedisError, OSError):
        log.debug("the workers could not be woken", exc_info=True)


_HINTS: Final = Gathered("wakes workers", _send)


class Listener:
    """Calls `on_hint` with each hint, in a thread of its own, whenever Redis can be reached."""

    def __init__(self, on_hint: Callable[[str], None]) -> None:
        self._on_hint = on_hint
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hears of work", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End within a second."""
        self._stopping.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._listen()
            except (RedisError, OSError):
                log.debug("hints about work cannot be heard", exc_info=True)
                self._stopping.wait(_PAUSE_S)

    def _listen(self) -> None:
        with _redis() as redis, redis.pubsub(ignore_subscribe_messages=True) as hints:
            hints.subscribe(_CHANNEL)
            while not self._stopping.is_set():
                hint = hints.get_message(timeout=1.0)
                if hint is not None:
                    self._on_hint(hint["data"].decode())


def _redis() -> Redis:
    return Redis.from_url(settings.POSTERN.redis_url, socket_timeout=_ANSWER_S, socket_connect_timeout=_ANSWER_S)
