"""Which sessions retention deletes now: by age, risk, organization, and the size of the recordings on this server.

Decision 0098 has the rules. What is on hold is left out by the callers.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, Sum

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
    """A condition for sessions whose days are over."""
    by_days: dict[int, list[UUID]] = defaultdict(list)
    for org_id, days in present.org_days.items():
        by_days[days].append(org_id)
    over = ~Q(org_id__in=list(present.org_days)) & _ended_before(now, present.limits.default)
    for days, org_ids in by_days.items():
        over |= Q(org_id__in=org_ids) & _ended_before(now, days)
    # Says nothing new: with it the database reads the sessions from the index of their ends.
    fewest = min([present.limits.default, *by_days])
    return _ended_before(now, fewest) & over & _not_kept_by_risk(present, now)


def size_border(present: Rules, now: datetime) -> datetime | None:
    """The end of the newest session that has to go so that the recordings on this server keep to their limit.

    None when they do, or when nothing that may go is left. Recordings that wait to be copied elsewhere do not count:
    they leave this server by themselves.
    """
    if not present.size_limit:
        return None
    local = Recording.objects.filter(_stays_here())
    excess = (local.aggregate(total=Sum("size"))["total"] or 0) - present.size_limit
    if excess <= 0:
        return None
    by_age = queries.deletable_sessions().filter(due_by_age(present, now))
    excess -= local.filter(session__in=by_age.values("pk")).aggregate(total=Sum("size"))["total"] or 0
    others = queries.deletable_sessions().filter(may_go_by_size(present, now)).exclude(pk__in=by_age.values("pk"))
    border = None
    for end, size in others.order_by("date_end", "pk").values_list("date_end", "recording__size").iterator():
        if excess <= 0:
            break
        border, excess = end, excess - size
    return border


def due_by_size(present: Rules, now: datetime, border: datetime) -> Q:
    """A condition for the sessions that the size limit deletes, whatever their days are."""
    return Q(date_end__lte=border) & may_go_by_size(present, now)


def may_go_by_size(present: Rules, now: datetime) -> Q:
    """A condition for sessions that the size limit may delete; none when there is no limit."""
    if not present.size_limit:
        return Q(pk__in=())
    here = Exists(Recording.objects.filter(_stays_here(), session_id=OuterRef("pk"), size__gt=0))
    return Q(date_end__lt=now - present.size_min_age) & Q(here) & _not_kept_by_risk(present, now)


def _stays_here() -> Q:
    waits = Exists(RecordingCopy.objects.order_by().filter(recording_id=OuterRef("pk")))
    return Q(storage=None, date_stored__isnull=False) & ~Q(waits)


def _not_kept_by_risk(present: Rules, now: datetime) -> Q:
    if not present.risk_days:
        return Q()
    # By the name of the relation, because commands are above recordings.
    decided = Session.objects.order_by().filter(pk=OuterRef("pk"), commands__decision__gt="")
    is_dangerous = Q(risk_level__gte=RiskLevel.DANGEROUS.value) | Q(Exists(decided))
    return _ended_before(now, present.risk_days) | ~is_dangerous


def _ended_before(now: datetime, days: int) -> Q:
    return Q(date_end__lt=now - timedelta(days=days))
