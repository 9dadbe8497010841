"""Validation of datetimes from clients. Datetimes at the limits of the calendar overflow when converted to another time
zone.
"""

from datetime import UTC, datetime
from typing import Any, Final

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

#: Far enough from years 1 and 9999 that every time zone and every database can represent all datetimes in between.
EARLIEST: Final = datetime(1900, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(9999, 12, 30, tzinfo=UTC)


def bounded(instant: datetime) -> datetime:
    """The aware datetime, checked against the bounds. Raises ValueError outside of them."""
    try:
        within = EARLIEST <= instant <= LATEST
    except OverflowError:
        within = False
    if not within:
        raise ValueError(f"outside {EARLIEST:%Y} to {LATEST:%Y}")
    return instant


class InstantField(serializers.DateTimeField):
    """A date and time within the bounds; `ResourceSerializer` uses it for every datetime column."""

    default_error_messages = {"out_of_bounds": _("Enter a date between the years 1900 and 9999.")}

    def to_internal_value(self, value: Any) -> datetime:
        instant: datetime = super().to_internal_value(value)
        try:
            return bounded(instant)
        except ValueError:
            self.fail("out_of_bounds")
