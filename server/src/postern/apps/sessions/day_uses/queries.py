"""Figures of a number of days up to now: from the counted days, and from the sessions of the days since then."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from heapq import nlargest
from typing import Final
from uuid import UUID

from django.db.models import Count, Max, QuerySet, Sum

from postern.apps.sessions.day_uses.counting import COLUMNS
from postern.apps.sessions.day_uses.days import begin_of, day_of, days_between, zone
from postern.apps.sessions.day_uses.models import CountedDay, DayUse, UsedKind
from postern.apps.sessions.sessions.models import Session

_ONE_DAY: Final = timedelta(days=1)
_COLUMNS: Final = (*COLUMNS[UsedKind.USER], *COLUMNS[UsedKind.ASSET])


@dataclass(frozen=True, slots=True)
class DayFigures:
    """Sessions that began on a day, and the different users and assets of them."""

    day: date
    sessions: int
    users: int
    assets: int


@dataclass(frozen=True, slots=True)
class Use:
    """A user or an asset, with the number of their sessions; `last`: when the newest of them began. `name`: the last one
    that a session has.
    """

    id: UUID
    name: str
    sessions: int
    last: datetime


class Usage:
    """The last `days` days, today included, of an organization (None: of all)."""

    def __init__(self, *, org_id: UUID | None, days: int, now: datetime) -> None:
        self._org_id = org_id
        self._today = day_of(now)
        self._first = self._today - timedelta(days=days - 1)
        self._uses: dict[UsedKind, Mapping[UUID, tuple[int, datetime]]] = {}

    @cached_property
    def _live_from(self) -> date:
        """The first day that was not counted. From it on, sessions are read."""
        rows = CountedDay.objects.filter(day__gte=self._first, day__lt=self._today, zone=zone().key)
        counted = set(rows.values_list("day", flat=True))
        return next((day for day in days_between(self._first, self._today) if day not in counted), self._today)

    def _counted(self, kind: UsedKind) -> QuerySet[DayUse]:
        rows: QuerySet[DayUse] = DayUse.objects.filter(kind=kind, day__gte=self._first, day__lt=self._live_from)
        return (rows if self._org_id is None else rows.filter(org_id=self._org_id)).order_by()

    def _sessions(self, begin: date, end: date | None = None) -> QuerySet[Session]:
        rows: QuerySet[Session] = Session.objects.filter(date_start__gte=begin_of(begin)).order_by()
        if end is not None:
            rows = rows.filter(date_start__lt=begin_of(end))
        return rows if self._org_id is None else rows.filter(org_id=self._org_id)

    def of_days(self) -> list[DayFigures]:
        """Each day, the oldest first."""
        users, assets = (self._per_day(kind) for kind in (UsedKind.USER, UsedKind.ASSET))
        figures = []
        for day in days_between(self._first, self._live_from):
            sessions, of_users = users.get(day, (0, 0))
            figures.append(DayFigures(day, sessions, of_users, assets.get(day, (0, 0))[1]))
        for day in days_between(self._live_from, self._today + _ONE_DAY):
            counts = self._sessions(day, day + _ONE_DAY).aggregate(
                sessions=Count("*"), users=Count("user_id", distinct=True), assets=Count("asset_id", distinct=True)
            )
            figures.append(DayFigures(day=day, **counts))
        return figures

    def _per_day(self, kind: UsedKind) -> Mapping[date, tuple[int, int]]:
        """Sessions, and different users or assets, of each counted day."""
        # Within one organization each row of a day is another one.
        different = Count("*") if self._org_id is not None else Count("object_id", distinct=True)
        rows = self._counted(kind).values("day").annotate(sum=Sum("sessions"), different=different)
        return {day: (number, others) for day, number, others in rows.values_list("day", "sum", "different")}

    def active(self, kind: UsedKind) -> int:
        """How many different users or assets there were."""
        return len(self._uses_of(kind))

    def top(self, kind: UsedKind, most: int) -> list[Use]:
        """Those with most sessions; with as many, the one that was used last."""
        uses = self._uses_of(kind)
        first = nlargest(most, uses, key=lambda key: uses[key])
        rows = self._counted(kind).filter(object_id__in=first).order_by("day")
        names = {**dict(rows.values_list("object_id", "name")), **self._live[kind].names}
        return [Use(key, names[key], *uses[key]) for key in first]

    def _uses_of(self, kind: UsedKind) -> Mapping[UUID, tuple[int, datetime]]:
        """Number of sessions, and begin of the newest, of each user or asset. Read once."""
        if kind not in self._uses:
            self._uses[kind] = self._read_uses(kind)
        return self._uses[kind]

    def _read_uses(self, kind: UsedKind) -> Mapping[UUID, tuple[int, datetime]]:
        counted = self._counted(kind).values("object_id").annotate(sum=Sum("sessions"), newest=Max("last"))
        uses = {key: (number, last) for key, number, last in counted.values_list("object_id", "sum", "newest")}
        for key, (number, last) in self._live[kind].uses.items():
            uses[key] = (uses.get(key, (0, last))[0] + number, last)
        return uses

    @cached_property
    def _live(self) -> Mapping[UsedKind, "_Live"]:
        """The sessions since the last counted day. Grouped here: SQLite would read all sessions, in order of the key."""
        found = {kind: _Live({}, {}) for kind in UsedKind}
        rows = self._sessions(self._live_from).order_by("date_start")
        for user_id, user, asset_id, asset, begun in rows.values_list(*_COLUMNS, "date_start").iterator():
            found[UsedKind.USER].add(user_id, user, begun)
            found[UsedKind.ASSET].add(asset_id, asset, begun)
        return found


@dataclass(frozen=True, slots=True)
class _Live:
    """Number and newest begin by id, and the newest names."""

    uses: dict[UUID, tuple[int, datetime]]
    names: dict[UUID, str]

    def add(self, key: UUID, name: str, begun: datetime) -> None:
        """One more session. The sessions come in order of their begin."""
        self.uses[key] = (self.uses.get(key, (0, begun))[0] + 1, begun)
        self.names[key] = name
