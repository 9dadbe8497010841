"""How often a proxy may ask something within a minute. A proxy that works stays far below; who has its credential gets no further.

While Redis is away nobody counts, and everything goes on: a limit on registered proxies must not stop the access plane.
"""

import time
from typing import Final
from uuid import UUID

from django.core.cache import cache
from redis.exceptions import RedisError

WINDOW_S: Final = 60


def asked(terminal_id: UUID, question: str) -> int:
    """Count a request; how many of its kind the proxy has sent in this minute. 0: nobody counts."""
    key = f"sessions:proxy-pace:{terminal_id}:{question}:{int(time.time()) // WINDOW_S}"
    try:
        cache.add(key, 0, 2 * WINDOW_S)
        return int(cache.incr(key))
    except (ValueError, RedisError, OSError):
        return 0
