"""Tracks whether the control plane could receive heartbeats: a proxy's lease runs only while it could.

A web process writes a stamp to the cache every few seconds. The lease check in the worker notes since when stamps and
its own rounds have followed each other without a gap. After an outage of web, worker, Redis or database, every proxy
therefore has a whole lease to send a heartbeat. A restart of Postern never declares a live session dead.
"""

import logging
import threading
import time
from typing import Final

from django.core.cache import cache
from redis.exceptions import RedisError

log = logging.getLogger(__name__)

_STAMP: Final = "sessions:web-presence"
_OBSERVED: Final = "sessions:lease-observed"
STAMP_INTERVAL_S: Final = 5
#: An older stamp means that no web process is running.
STALE_S: Final = 15
#: A longer pause between two rounds of the lease check means that the worker was not running.
ROUND_GAP_S: Final = 30
_KEEP_S: Final = 3600

_started = threading.Lock()


def start() -> None:
    """Start the stamping thread (daemon) of this process. Further calls do nothing."""
    if _started.acquire(blocking=False):
        threading.Thread(target=_stamp_for_ever, name="web presence", daemon=True).start()


def _stamp_for_ever() -> None:
    while True:
        stamp_web(time.time())
        time.sleep(STAMP_INTERVAL_S)


def stamp_web(now: float) -> None:
    """Write the stamp of a running web process. A missing Redis is only a debug message, because others report it."""
    try:
        cache.set(_STAMP, now, _KEEP_S)
    except (RedisError, OSError):
        log.debug("the stamp of the web process could not be written")


def is_web_up(now: float) -> bool:
    """Whether a web process has written its stamp lately."""
    stamp = cache.get(_STAMP)
    return isinstance(stamp, float) and now - stamp <= STALE_S


def observed_for_s(now: float) -> float:
    """Seconds for which heartbeats could be received without a gap, up to this round. Call it once per round."""
    noted = cache.get(_OBSERVED)
    if not is_web_up(now):
        cache.delete(_OBSERVED)
        return 0.0
    since = now
    if isinstance(noted, list) and len(noted) == 2 and 0 <= now - noted[1] <= ROUND_GAP_S:
        since = noted[0]
    cache.set(_OBSERVED, [since, now], _KEEP_S)
    return float(now - since)
