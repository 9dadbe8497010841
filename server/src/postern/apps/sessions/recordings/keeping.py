"""Which sessions retention deletes now: by age, risk, organization, and the size of the recordings on this server.

Decision 0098 has the rules. What is on hold is left out by the callers.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Sum, Window

from postern.apps.preferences import facade as preferences
from postern.apps.sessions.recordings.models import OrganizationRetention, Recording, RecordingCopy
from postern.apps.sessions.sessions import queries
from postern.apps.sessions.sessions.models import Session
from postern.contracts.enums import RiskLevel

_GIB: Final = 1024**3


@dataclass(frozen=True, slots=True)
class Limits:
    """Days that an organization may choose for itself, and the days of one that chose nothing."""

    default: int
    shortest: int
    longest: int

    def days_of(self, chosen: int | None) -> int:
        """The days that apply. A choice from before the limits were changed is moved into them."""
        return self.default if chosen is None else min(max(chosen, self.shortest), self.longest)


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings at one time. `org_days`: the organizations with days of their own. `size_limit`: in bytes; 0: none."""

    limits: Limits
    org_days: Mapping[UUID, int]
    risk_days: int
    size_limit: int
    size_min_age: timedelta


def limits() -> Limits:
    """The limits for organizations. A limit of 0 is the days of the setting: then nobody can go beyond it."""
    default = preferences.get_int("TERMINAL_SESSION_KEEP_DURATION")
    shortest = preferences.get_int("TERMINAL_ORG_KEEP_SHORTEST") or default
    longest = preferences.get_int("TERMINAL_ORG_KEEP_LONGEST") or default
    return Limits(default, min(shortest, default), max(longest, default))


def rules() -> Rules:
    """The rules as they are set now."""
    allowed = limits()
    chosen = OrganizationRetention.objects.values_list("org_id", "days")
    return Rules(
        limits=allowed,
        org_days={org_id: allowed.days_of(days) for org_id, days in chosen},
        risk_days=preferences.get_int("TERMINAL_RISK_KEEP_DURATION"),
        size_limit=preferences.get_int("TERMINAL_LOCAL_RECORDINGS_LIMIT") * _GIB,
        size_min_age=timedelta(days=preferences.get_int("TERMINAL_LOCAL_RECORDINGS_MIN_AGE")),
    )


def due_by_age(present: Rules, now: datetime) -> Q:
    """A condition for sessions whose days are over. Dangerous sessions have the days of their organization or those of
    the risk, whichever are more.
    """
    over = _days_are_over(present, now)
    if not present.risk_days:
        return over
    return over & (_ended_before(now, present.risk_days) | ~_is_dangerous())


def excess(present: Rules, going: QuerySet[Session] | Collection[UUID]) -> int:
    """Bytes by which the recordings on this server are above their limit when the sessions `going` are deleted.

    Recordings that wait to be copied elsewhere do not count: they leave this server by themselves.
    """
    if not present.size_limit:
        return 0
    local = Recording.objects.filter(_stays_here())
    above = (local.aggregate(total=Sum("size"))["total"] or 0) - present.size_limit
    if above <= 0:
        return 0
    keys: Any = going.values("pk") if isinstance(going, QuerySet) else going
    return max(0, above - (local.filter(session__in=keys).aggregate(total=Sum("size"))["total"] or 0))


def first_by_size(present: Rules, now: datetime, above: int, most: int) -> list[UUID]:
    """The oldest sessions that have to go so that `above` bytes become free, at most so many."""
    chosen: list[UUID] = []
    if above > 0:
        for key, size in _in_order_of_size_rule(present, now).values_list("pk", "recording__size")[:most]:
            if above <= 0:
                break
            chosen.append(key)
            above -= size
    return chosen


def due_by_size(present: Rules, now: datetime, above: int) -> Q:
    """A condition for all sessions that have to go so that `above` bytes become free, also for those on hold that are
    as old.
    """
    if above <= 0:
        return Q(pk__in=())
    # The database adds up the sizes, because there may be a million of them. It stops at the first row that is enough.
    up_to_this: Any = Window(Sum("recording__size"), order_by=[F("date_end").asc(), F("pk").asc()])
    enough = _in_order_of_size_rule(present, now).annotate(up_to_this=up_to_this).filter(up_to_this__gte=above)
    newest = enough.values_list("date_end", "pk").first()
    if newest is None:  # not even all of them are enough
        return may_go_by_size(present, now)
    end, key = newest
    return (Q(date_end__lt=end) | Q(date_end=end, pk__lte=key)) & may_go_by_size(present, now)


def may_go_by_size(present: Rules, now: datetime) -> Q:
    """A condition for sessions that the size limit may delete; none when there is no limit.

    Dangerous sessions are never among them: they go when their days are over, and then by age.
    """
    if not present.size_limit:
        return Q(pk__in=())
    here = Exists(Recording.objects.filter(_stays_here(), session_id=OuterRef("pk"), size__gt=0))
    return Q(date_end__lt=now - present.size_min_age) & Q(here) & ~_is_dangerous()


def _in_order_of_size_rule(present: Rules, now: datetime) -> QuerySet[Session]:
    """What the size limit may delete, the oldest first, without the sessions that go by age."""
    rows: QuerySet[Session] = queries.deletable_sessions().filter(may_go_by_size(present, now))
    return rows.filter(~_days_are_over(present, now)).order_by("date_end", "pk")


def _days_are_over(present: Rules, now: datetime) -> Q:
    """A condition for sessions that their organization keeps no longer."""
    by_days: dict[int, list[UUID]] = defaultdict(list)
    for org_id, days in present.org_days.items():
        by_days[days].append(org_id)
    over = ~Q(org_id__in=list(present.org_days)) & _ended_before(now, present.limits.default)
    for days, org_ids in by_days.items():
        over |= Q(org_id__in=org_ids) & _ended_before(now, days)
    # Says nothing new: with it the database reads the sessions from the index of their ends.
    fewest = min([present.limits.default, *by_days])
    return _ended_before(now, fewest) & over


def _stays_here() -> Q:
    waits = Exists(RecordingCopy.objects.order_by().filter(recording_id=OuterRef("pk")))
    return Q(storage=None, date_stored__isnull=False) & ~Q(waits)


def _is_dangerous() -> Q:
    """A condition for sessions with dangerous or refused commands, or with commands that a reviewer decided on."""
    # By the name of the relation, because commands are above recordings.
    decided = Session.objects.order_by().filter(pk=OuterRef("pk"), commands__decision__gt="")
    return Q(risk_level__gte=RiskLevel.DANGEROUS.value) | Q(Exists(decided))


def _ended_before(now: datetime, days: int) -> Q:
    return Q(date_end__lt=now - timedelta(days=days))
