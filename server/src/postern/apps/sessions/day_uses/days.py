"""Days in the time zone of the installation."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings

_DAY = timedelta(days=1)


def zone() -> ZoneInfo:
    """The time zone of the installation (`POSTERN_TIME_ZONE`)."""
    return ZoneInfo(settings.TIME_ZONE)


def day_of(at: datetime) -> date:
    """The day on which the instant lies."""
    return at.astimezone(zone()).date()


def begin_of(day: date) -> datetime:
    """The first instant of the day. A day has 23 or 25 hours where the clock is changed."""
    return datetime.combine(day, time(), tzinfo=zone())


def days_between(first: date, end: date) -> Iterator[date]:
    """From `first` on, without `end`."""
    while first < end:
        yield first
        first += _DAY
