"""Limits the requests of a proxy per minute. A working proxy stays far below; a thief of its credential is slowed down.

Without Redis there is no counting and no limit: a limit on registered proxies must not stop the access plane.
"""

import time
from typing import Final
from uuid import UUID

from django.core.cache import cache
from redis.exceptions import RedisError

WINDOW_S: Final = 60


def asked(terminal_id: UUID, question: str) -> int:
    """Count a request; returns the proxy's number of such requests in this minute, or 0 without Redis."""
    key = f"sessions:proxy-pace:{terminal_id}:{question}:{int(time.time()) // WINDOW_S}"
    try:
        cache.add(key, 0, 2 * WINDOW_S)
        return int(cache.incr(key))
    except (ValueError, RedisError, OSError):
        return 0
