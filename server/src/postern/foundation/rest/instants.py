"""Instants that clients send. Those at the edge of the calendar are refused: in another time zone they do not exist."""

from datetime import UTC, datetime
from typing import Any, Final

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

#: Far enough from the first and the last year that every time zone and every database can hold what is between.
EARLIEST: Final = datetime(1900, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(9999, 12, 30, tzinfo=UTC)


def bounded(instant: datetime) -> datetime:
    """An aware instant within the bounds. Raises ValueError otherwise."""
    try:
        within = EARLIEST <= instant <= LATEST
    except OverflowError:
        within = False
    if not within:
        raise ValueError(f"outside {EARLIEST:%Y} to {LATEST:%Y}")
    return instant


class InstantField(serializers.DateTimeField):
    """A date and time. The kit uses it for every column that is one."""

    default_error_messages = {"out_of_bounds": _("Enter a date between the years 1900 and 9999.")}

    def to_internal_value(self, value: Any) -> datetime:
        instant: datetime = super().to_internal_value(value)
        try:
            return bounded(instant)
        except ValueError:
            self.fail("out_of_bounds")
