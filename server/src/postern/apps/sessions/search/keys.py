"""The keys of pieces. Their order is the order of hits: newest session first, then the order inside the recording.

So the index answers a page in its order and can begin anywhere, without looking at sessions. A key has 63 bits: 42 for the
milliseconds from the start of the session to the year 2109, 6 that tell recordings of one millisecond apart, and 15 for
the number of the piece. The first 48 are the place of the recording.
"""

from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from postern.contracts.search.pieces import MOST_PIECES

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MS: Final = 2**42 - 1
_OF_ONE_MS: Final = 2**6
_MS: Final = timedelta(milliseconds=1)
#: Recordings that found all places of their millisecond taken have one nearby.
_NEARBY: Final = timedelta(seconds=1)


class Range(NamedTuple):
    """Keys from `start` to before `end`."""

    start: int
    end: int

    def within(self, other: "Range") -> "Range":
        """The keys that are in both."""
        return Range(max(self.start, other.start), min(self.end, other.end))


EVERYTHING: Final = Range(0, 2**63 - 1)


def first_place(date_start: datetime) -> int:
    """The first place for a recording of a session that started then. Later ones have higher numbers."""
    ms = min(max((date_start - _EPOCH) // _MS, 0), _LAST_MS)
    return (_LAST_MS - ms) * _OF_ONE_MS


def of_recording(place: int) -> Range:
    """The keys of the pieces of a recording."""
    return Range(place * MOST_PIECES, (place + 1) * MOST_PIECES)


def number_of(key: int) -> int:
    """The number of a piece in its recording."""
    return key % MOST_PIECES


def recording_of(key: int) -> Range:
    """The keys of the recording that has this key."""
    return of_recording(key // MOST_PIECES)


def of_dates(first: datetime | None, last: datetime | None) -> Range:
    """The keys of the sessions that started between two instants, and a few more at the borders."""
    start = EVERYTHING.start if last is None else of_recording(first_place(_moved(last, _NEARBY))).start
    if first is None:
        return Range(start, EVERYTHING.end)
    return Range(start, of_recording(first_place(_moved(first, -_NEARBY)) + _OF_ONE_MS).start)


def _moved(instant: datetime, by: timedelta) -> datetime:
    try:
        return instant + by
    except OverflowError:  # the first or the last second that can be written
        return instant
