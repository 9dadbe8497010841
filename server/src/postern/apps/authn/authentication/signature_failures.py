"""Slowing down those whose tokens and signatures keep being refused.

Nothing can be guessed here (a secret has 122 bits or more), so this is no lock: a request with a good credential is never
asked. It keeps a broken or hostile client from filling the log, and tells it to wait. What is aimed at an account counts for
the account as well (`guard`).
"""

from typing import Final

from django.core.cache import cache
from redis.exceptions import RedisError

from postern.kernel.addresses import address_key
from postern.kernel.ids import token_hash

LIMIT: Final = 30
WINDOW_S: Final = 60


def count(remote_addr: str) -> int | None:
    """Note a failure; answers the seconds to wait once there were more than `LIMIT` within a minute, else None."""
    key = f"authn:signature-failures:{token_hash(address_key(remote_addr))[:32]}"
    try:
        cache.add(key, 0, WINDOW_S)
        failures = cache.incr(key)
    except (ValueError, RedisError):  # it ran out between the two calls, or nobody counts at the moment
        return None
    return WINDOW_S if failures > LIMIT else None
