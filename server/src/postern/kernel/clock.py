"""Clocks. Instants are aware UTC datetimes; durations come from the monotonic clock."""

import time
from datetime import UTC, date, datetime
from typing import Final

#: Seconds on a clock that never jumps; for durations and deadlines only. An alias, because each key that passes the
#: proxy is timed several times.
monotonic_s: Final = time.monotonic


def now() -> datetime:
    """The current time as an aware datetime in UTC."""
    return datetime.now(UTC)


def today() -> date:
    """The current date in UTC.

    Code that needs the date twice should read it once and pass it on, because midnight may come between two reads.
    """
    return now().date()


def monotonic_ms() -> int:
    """Milliseconds on the monotonic clock."""
    return time.monotonic_ns() // 1_000_000


def thread_s() -> float:
    """CPU time of this thread in seconds, for limiting work independently of the machine's load."""
    return time.thread_time()
