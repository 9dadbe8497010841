"""Garbage collector settings that avoid long pauses in a proxy."""

import gc
from typing import Final

#: Thresholds of the three generations. Closed connections are the only notable reference cycles, and there are few.
_THRESHOLDS: Final = (5_000, 20, 20)


def settle_garbage_collector() -> None:
    """Exempt all current objects from garbage collection. To be called after all imports and the start.

    A full collection over all modules blocked every session for 100 ms.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
