"""The figures of the dashboard by their names (contract: dashboard). Only what is asked for is computed."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, Q
from django.utils.timesince import timesince
from rest_framework import serializers

from postern.apps.assets.models import Asset
from postern.apps.sessions import facade as sessions
from postern.apps.users import facade as users

_TOP5: Final = 5
_TOP10: Final = 10
#: Days that figures of a week and of a month look back, today included.
WEEK: Final = 7
MONTH: Final = 30

Values = dict[str, Any]
_INSTANT: Final = serializers.DateTimeField()


class Figures:
    """The figures of an organization (None: of all) over the last `days` days."""

    def __init__(self, *, org_id: UUID | None, days: int, now: datetime) -> None:
        self._org_id, self._now = org_id, now
        self._usage = sessions.Usage(org_id=org_id, days=days, now=now)

    def named(self, names: Collection[str]) -> Values:
        """The figures of these groups (keys of `GROUPS`), and single figures (keys of `SINGLE`)."""
        found: Values = {}
        for name in names:
            found |= GROUPS[name](self) if name in GROUPS else {name: SINGLE[name](self)}
        return found

    @cached_property
    def live(self) -> sessions.LiveFigures:
        """What is live now."""
        return sessions.live_figures(self._org_id)

    @cached_property
    def users(self) -> users.UserFigures:
        """The people of the organization."""
        return users.user_figures(self._org_id)

    @cached_property
    def assets(self) -> Mapping[str, int]:
        """The assets of the organization, and those of them that are switched off."""
        rows = (
            Asset.objects.order_by() if self._org_id is None else Asset.objects.filter(org_id=self._org_id).order_by()
        )
        counts: Mapping[str, int] = rows.aggregate(total=Count("*"), disabled=Count("pk", filter=Q(is_active=False)))
        return counts

    def total_count(self) -> Values:
        return {name: figure(self) for name, figure in SINGLE.items()}

    def metrics(self) -> Values:
        days = self._usage.of_days()
        return {
            "dates_metrics_date": [figures.day.strftime("%m-%d") for figures in days],
            "dates_metrics_total_count_login": [figures.sessions for figures in days],
            "dates_metrics_total_count_active_users": [figures.users for figures in days],
            "dates_metrics_total_count_active_assets": [figures.assets for figures in days],
        }

    def user_activity(self) -> Values:
        return _activity("users", sessions.UsedKind.USER, self._usage, self.users.users, self.users.disabled)

    def asset_activity(self) -> Values:
        return _activity("assets", sessions.UsedKind.ASSET, self._usage, self.assets["total"], self.assets["disabled"])

    def logins(self) -> Values:
        return {
            "dates_total_count_login_users": self._usage.active(sessions.UsedKind.USER),
            "dates_total_count_login_times": sum(figures.sessions for figures in self._usage.of_days()),
        }

    def top5_users(self) -> Values:
        top = self._usage.top(sessions.UsedKind.USER, _TOP5)
        return {"dates_login_times_top5_users": [{"user": str(use.id), "total": use.sessions} for use in top]}

    def top10_users(self) -> Values:
        return {"dates_login_times_top10_users": self._top10(sessions.UsedKind.USER, "user")}

    def top10_assets(self) -> Values:
        return {"dates_login_times_top10_assets": self._top10(sessions.UsedKind.ASSET, "asset")}

    def _top10(self, kind: sessions.UsedKind, what: str) -> list[Values]:
        """The most used ones, with their id and name under `what`."""
        return [
            {
                f"{what}_id": str(use.id),
                what: use.name,
                "total": use.sessions,
                "last": _INSTANT.to_representation(use.last),
            }
            for use in self._usage.top(kind, _TOP10)
        ]

    def newest_sessions(self) -> Values:
        rows = [
            {
                "id": str(row.pk),
                "user": row.user,
                "asset": row.asset,
                "is_finished": row.is_finished,
                "date_start": _INSTANT.to_representation(row.date_start),
                "timesince": timesince(row.date_start, self._now, depth=1),
            }
            for row in sessions.newest_sessions(self._org_id, _TOP10)
        ]
        return {"dates_login_record_top10_sessions": rows}


def _activity(what: str, kind: sessions.UsedKind, usage: sessions.Usage, total: int, disabled: int) -> Values:
    """Who or what had sessions, had none, and may have none. Those that had some and were deleted since count as active."""
    active = usage.active(kind)
    return {
        f"dates_total_count_active_{what}": active,
        f"dates_total_count_inactive_{what}": max(total - active - disabled, 0),
        f"dates_total_count_disabled_{what}": disabled,
    }


#: Figures that can be asked for alone.
SINGLE: Final[Mapping[str, Callable[[Figures], int]]] = {
    "total_count_users": lambda figures: figures.users.users,
    "total_count_assets": lambda figures: figures.assets["total"],
    "total_count_online_users": lambda figures: figures.live.users,
    "total_count_online_sessions": lambda figures: figures.live.sessions,
}
#: Groups of figures, by the flag that asks for them.
GROUPS: Final[Mapping[str, Callable[[Figures], Values]]] = {
    "total_count": Figures.total_count,
    "dates_metrics": Figures.metrics,
    "dates_total_count_users": Figures.user_activity,
    "dates_total_count_assets": Figures.asset_activity,
    "dates_total_count": Figures.logins,
    "dates_login_times_top5_users": Figures.top5_users,
    "dates_login_times_top10_assets": Figures.top10_assets,
    "dates_login_times_top10_users": Figures.top10_users,
    "dates_login_record_top10_sessions": Figures.newest_sessions,
}
