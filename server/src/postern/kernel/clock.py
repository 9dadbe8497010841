"""Clocks. Instants are aware UTC datetimes; durations come from the monotonic clock."""

import time
from datetime import UTC, date, datetime


def now() -> datetime:
    """The current time as an aware datetime in UTC."""
    return datetime.now(UTC)


def today() -> date:
    """The current date in UTC.

    Code that needs the date twice should read it once and pass it on, because midnight may come between two reads.
    """
    return now().date()


def monotonic_s() -> float:
    """Seconds on a clock that never jumps; for durations and deadlines only."""
    return time.monotonic()


def monotonic_ms() -> int:
    """Milliseconds on the monotonic clock."""
    return time.monotonic_ns() // 1_000_000


def thread_s() -> float:
    """CPU time of this thread in seconds, for limiting work independently of the machine's load."""
    return time.thread_time()
