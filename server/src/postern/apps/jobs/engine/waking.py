"""Tells the workers that there is something to do. A hint only: it may be lost, because each worker looks by itself."""

import logging
import threading
from collections.abc import Callable
from typing import Final

from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError

from postern.foundation.bus.gathered import Gathered

log = logging.getLogger(__name__)

_CHANNEL: Final = "postern:jobs"
_ANSWER_S: Final = 2.0
_PAUSE_S: Final = 2.0


def wake_workers() -> None:
    """Send the hint soon, in a thread: a Redis that does not answer must not hold up a request."""
    _HINTS.ask("wake")


def _send(_keys: frozenset[str]) -> None:
    try:
        with _redis() as redis:
            redis.publish(_CHANNEL, "")
    except (RedisError, OSError):
        log.debug("the workers could not be woken", exc_info=True)


_HINTS: Final = Gathered("wakes workers", _send)


class Listener:
    """Calls `on_hint` for each hint, in a thread of its own, whenever Redis can be reached."""

    def __init__(self, on_hint: Callable[[], None]) -> None:
        self._on_hint = on_hint
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hears of jobs", daemon=True)

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
                log.debug("hints about jobs cannot be heard", exc_info=True)
                self._stopping.wait(_PAUSE_S)

    def _listen(self) -> None:
        with _redis() as redis, redis.pubsub(ignore_subscribe_messages=True) as hints:
            hints.subscribe(_CHANNEL)
            while not self._stopping.is_set():
                if hints.get_message(timeout=1.0) is not None:
                    self._on_hint()


def _redis() -> Redis:
    return Redis.from_url(settings.POSTERN.redis_url, socket_timeout=_ANSWER_S, socket_connect_timeout=_ANSWER_S)
