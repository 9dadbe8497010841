"""Measures of the journal: free space on its volume, and the duration of its writes."""

import os
from pathlib import Path
from typing import Final, Literal, NamedTuple

_WARN_SHARE: Final = 0.10
_BUCKETS: Final = 26


class DiskState(NamedTuple):
    """Free space of a volume. `warn`: less than a tenth is free. `refuse`: the reserve is reached, no new sessions."""

    free_bytes: int
    total_bytes: int
    level: Literal["ok", "warn", "refuse"]


class JournalStats(NamedTuple):
    """Statistics of the journal's writes. `unsynced_s` is the age of the oldest byte not covered by a commit."""

    writes: int
    bytes: int
    write_p50_us: int
    write_p99_us: int
    write_max_us: int
    sync_max_ms: float
    unsynced_s: float


def measure_disk(path: Path, reserve_bytes: int) -> DiskState:
    """Return the free space of the volume. Raises OSError if the volume is gone."""
    volume = os.statvfs(path)
    free, total = volume.f_bavail * volume.f_frsize, volume.f_blocks * volume.f_frsize
    if free <= reserve_bytes:
        return DiskState(free, total, "refuse")
    return DiskState(free, total, "warn" if free < total * _WARN_SHARE else "ok")


class LatencyHistogram:
    """Counts durations in buckets of doubling width. Precise to a power of two, at negligible cost."""

    def __init__(self) -> None:
        self._counts = [0] * _BUCKETS
        self.count = 0
        self.max_us = 0

    def add(self, duration_s: float) -> None:
        us = int(duration_s * 1_000_000)
        self._counts[min(us.bit_length(), _BUCKETS - 1)] += 1
        self.count += 1
        self.max_us = max(self.max_us, us)

    def quantile_us(self, share: float) -> int:
        """Return the upper bound of the bucket that contains the quantile, in µs. 0 without any measurement."""
        wanted, seen = share * self.count, 0
        for bits, count in enumerate(self._counts):
            seen += count
            if count and seen >= wanted:
                return min(1 << bits, self.max_us)
        return 0
