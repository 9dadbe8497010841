"""Spans of time in a week: `{"days": [1, 2, 3, 4, 5], "start": "08:00", "end": "18:00"}`, in the time zone of the
installation.

Days follow ISO 8601: Monday is 1. The end is exclusive. An end that is not after the start is on the next day.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

_CLOCK: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")
_DAY: Final = 24 * 60


def minute_of(text: str) -> int | None:
    """Minutes since midnight of `HH:MM`; None for any other text."""
    match = _CLOCK.fullmatch(text)
    return None if match is None else int(match[1]) * 60 + int(match[2])


def covers(spans: Iterable[Mapping[str, Any]], moment: datetime) -> bool:
    """Whether one of the spans contains this local time. True without spans."""
    now = moment.hour * 60 + moment.minute
    today, yesterday = moment.isoweekday(), (moment.isoweekday() - 2) % 7 + 1
    has_spans = False
    for span in spans:
        has_spans = True
        start, end = minute_of(str(span["start"])), minute_of(str(span["end"]))
        if start is None or end is None:
            continue
        until = end if end > start else end + _DAY
        if today in span["days"] and start <= now < until:
            return True
        if yesterday in span["days"] and now + _DAY < until:
            return True
    return not has_spans
