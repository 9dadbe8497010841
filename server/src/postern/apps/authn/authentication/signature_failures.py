"""Limits clients whose tokens or signatures are refused repeatedly.

Secrets have at least 122 bits and cannot be guessed, so this limit does not protect accounts: requests with a valid
credential never reach it. It prevents a broken or hostile client from filling the log, and tells the client to wait.
Guesses at an account also count for that account (`guard`).
"""

from typing import Final

from django.core.cache import cache
from redis.exceptions import RedisError

from postern.kernel.addresses import address_key
from postern.kernel.ids import token_hash

LIMIT: Final = 30
WINDOW_S: Final = 60


def count(remote_addr: str) -> int | None:
    """Count a failure. Returns the seconds to wait after more than `LIMIT` failures within a minute, else None."""
    key = f"authn:signature-failures:{token_hash(address_key(remote_addr))[:32]}"
    try:
        cache.add(key, 0, WINDOW_S)
        failures = cache.incr(key)
    except (ValueError, RedisError):  # the counter expired between the two calls, or Redis is not available
        return None
    return WINDOW_S if failures > LIMIT else None
