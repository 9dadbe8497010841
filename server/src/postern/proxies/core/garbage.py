"""How the garbage collector works in a proxy: without long pauses."""

import gc
from typing import Final

#: Objects made before the young ones are looked at, and how seldom older ones are. Closed connections are the only
#: cycles worth naming, and they are few.
_THRESHOLDS: Final = (5_000, 20, 20)


def settle_garbage_collector() -> None:
    """Call it when everything is imported and started: what exists now stays, and is not looked at again.

    A full collection that goes through all modules held every session up for 100 ms.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
