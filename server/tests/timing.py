"""Time limits that hold on a machine that may be paused at any moment."""

from collections.abc import Awaitable, Callable
from typing import Final

ATTEMPTS: Final = 6


def soon(attempt: Callable[[], float], limit_s: float) -> None:
    """Require one of a few attempts to stay within the limit. `attempt` acts once and returns its duration in seconds.

    An action that is too slow is slow in each attempt; only the delay of a busy machine varies.
    """
    took: list[float] = []
    while len(took) < ATTEMPTS:
        took.append(attempt())
        if took[-1] < limit_s:
            return
    raise AssertionError(f"never within {limit_s} s: {[round(seconds, 2) for seconds in took]}")


async def soon_async(attempt: Callable[[], Awaitable[float]], limit_s: float) -> None:
    """`soon` for coroutines."""
    took: list[float] = []
    while len(took) < ATTEMPTS:
        took.append(await attempt())
        if took[-1] < limit_s:
            return
    raise AssertionError(f"never within {limit_s} s: {[round(seconds, 2) for seconds in took]}")
