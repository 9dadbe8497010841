"""Time. Instants are aware UTC datetimes; durations come from the monotonic clock."""

import time
from datetime import UTC, date, datetime


def now() -> datetime:
    """The present instant, aware, in UTC."""
    return datetime.now(UTC)


def today() -> date:
    """The present day in UTC.

    A caller that needs the day twice reads it once and passes it on: midnight may pass between two readings.
    """
    return now().date()


def monotonic_s() -> float:
    """Seconds on a clock that never jumps: for durations and deadlines only."""
    return time.monotonic()


def monotonic_ms() -> int:
    """Milliseconds on the monotonic clock."""
    return time.monotonic_ns() // 1_000_000


def thread_s() -> float:
    """Seconds that the processor has worked for this thread: what a limit of work is measured by on a busy machine."""
    return time.thread_time()
