"""Counts the days that are over."""

from datetime import date, datetime, timedelta
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import Count, F, Max

from postern.apps.sessions.day_uses.days import begin_of, day_of, days_between, zone
from postern.apps.sessions.day_uses.models import CountedDay, DayUse, UsedKind
from postern.apps.sessions.sessions.models import Session

#: Days that are counted before today: as many as the longest figures show.
COUNTED_DAYS: Final = 30
#: Days that are kept.
_KEPT_DAYS: Final = 62
#: Columns of a session that name what was used, by kind.
COLUMNS: Final[dict[UsedKind, tuple[str, str]]] = {
    UsedKind.USER: ("user_id", "user"),
    UsedKind.ASSET: ("asset_id", "asset"),
}
_BATCH: Final = 1_000


def count_ended_days(now: datetime) -> int:
    """Count the last days that were not counted yet, and forget old ones. Returns the number of days counted.

    A session belongs to the day of its begin, so a day does not change after its end. After a change of the time zone
    all days are counted again.
    """
    today = day_of(now)
    CountedDay.objects.exclude(zone=zone().key).delete()
    CountedDay.objects.filter(day__lt=today - timedelta(days=_KEPT_DAYS)).delete()
    DayUse.objects.filter(day__lt=today - timedelta(days=_KEPT_DAYS)).delete()
    first = today - timedelta(days=COUNTED_DAYS)
    counted = set(CountedDay.objects.filter(day__gte=first).values_list("day", flat=True))
    return sum(_count(day) for day in days_between(first, today) if day not in counted)


def used_between(kind: UsedKind, begin: datetime, end: datetime | None) -> Any:
    """The sessions of each organization and user or asset that began in this time, as rows of values."""
    key, name = COLUMNS[kind]
    rows = Session.objects.filter(date_start__gte=begin).order_by()
    if end is not None:
        rows = rows.filter(date_start__lt=end)
    return rows.values("org_id", object_id=F(key)).annotate(
        name_shown=Max(name), sessions=Count("*"), last=Max("date_start")
    )


def _count(day: date) -> bool:
    try:
        with transaction.atomic():
            CountedDay.objects.create(day=day, zone=zone().key)
            DayUse.objects.filter(day=day).delete()
            for kind in UsedKind:
                rows = used_between(kind, begin_of(day), begin_of(day + timedelta(days=1)))
                DayUse.objects.bulk_create(
                    (
                        DayUse(
                            org_id=row["org_id"],
                            day=day,
                            kind=kind,
                            object_id=row["object_id"],
                            name=row["name_shown"],
                            sessions=row["sessions"],
                            last=row["last"],
                        )
                        for row in rows
                    ),
                    batch_size=_BATCH,
                )
    except IntegrityError:  # another worker counts the same day
        return False
    return True
