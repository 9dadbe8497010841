"""How soon something happens, on a machine that may stand still for a while at any moment."""

from collections.abc import Awaitable, Callable
from typing import Final

ATTEMPTS: Final = 6


def soon(attempt: Callable[[], float], limit_s: float) -> None:
    """`attempt` does it once and gives the seconds that it took: one of a few must stay within the limit.

    What takes longer by its nature takes longer each time; only what a busy machine adds differs.
    """
    took: list[float] = []
    while len(took) < ATTEMPTS:
        took.append(attempt())
        if took[-1] < limit_s:
            return
    raise AssertionError(f"never within {limit_s} s: {[round(seconds, 2) for seconds in took]}")


async def soon_async(attempt: Callable[[], Awaitable[float]], limit_s: float) -> None:
    """`soon` for what is awaited."""
    took: list[float] = []
    while len(took) < ATTEMPTS:
        took.append(await attempt())
        if took[-1] < limit_s:
            return
    raise AssertionError(f"never within {limit_s} s: {[round(seconds, 2) for seconds in took]}")
