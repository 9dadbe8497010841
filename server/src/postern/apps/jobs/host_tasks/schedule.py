"""When a task runs by itself: a crontab, or a number of hours between two runs. If both are set, the crontab counts."""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from cronsim import CronSim, CronSimError
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

#: One year.
MAX_INTERVAL_H: Final = 8_784
#: How the library calls the fields in its errors, in their order.
_NAMES: Final = ("minute", "hour", "day-of-month", "month", "day-of-week")
MAX_CRONTAB: Final = 128


def require_crontab(text: str) -> None:
    """Raise ValidationError unless `text` is empty or has the five fields of a crontab, and comes due at all."""
    if not text.strip() or len(text) > MAX_CRONTAB:  # another validator refuses longer texts
        return
    if len(text.split()) != len(_NAMES):
        raise ValidationError(_("Enter five fields: minute, hour, day, month and weekday."))
    try:
        next(CronSim(text, datetime(2026, 1, 1, tzinfo=UTC)))
    except CronSimError as error:
        part = next((part for name, part in zip(_NAMES, text.split(), strict=True) if name in str(error)), text)
        raise ValidationError(_("This part of the crontab is not valid: %(part)s") % {"part": part}) from None
    except StopIteration:
        raise ValidationError(_("This crontab never comes due.")) from None


def next_run(*, crontab: str | None, interval: int | None, after: datetime, zone: tzinfo) -> datetime | None:
    """The first run after an instant, or None without a schedule. A crontab is read in `zone`."""
    if crontab and crontab.strip():
        return next(CronSim(crontab, after.astimezone(zone))).astimezone(UTC)
    return after + timedelta(hours=interval) if interval else None
