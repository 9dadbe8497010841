"""`GET index/`: the figures of the dashboard, counted days, days that nobody counted yet, organizations and rights."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

import pytest
from rest_framework.test import APIClient

from factories.grants import make_asset
from postern.apps.orgs.facade import create_organization
from postern.apps.sessions.day_uses.counting import count_ended_days
from postern.apps.sessions.day_uses.days import begin_of, day_of
from postern.apps.sessions.models import CountedDay, DayUse, Session
from postern.apps.users.models import User
from postern.contracts.enums import EndReason, SessionState
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

pytestmark = pytest.mark.django_db

URL: Final = "/api/v1/index/"
ANN, BEN, WEB, DB = (uuid4() for _ in range(4))
NAMES: Final = {ANN: "Ann(ann)", BEN: "Ben(ben)", WEB: "web", DB: "db"}


def begun(user: UUID, asset: UUID, *, days_ago: int, org_id: UUID = DEFAULT_ORG_ID, live: bool = False) -> Session:
    """A session of the user that began at noon of that day; today, at the first instant of the day."""
    today = day_of(clock.now())
    at = begin_of(today - timedelta(days=days_ago)) + (timedelta(hours=12) if days_ago else timedelta())
    state: dict[str, Any] = {"state": SessionState.ACTIVE.value}
    if not live:
        state = {"state": SessionState.ENDED.value, "date_end": at, "end_reason": EndReason.USER_CLOSED.value}
    return Session.objects.create(
        org_id=org_id,
        user_id=user,
        user=NAMES[user],
        username=NAMES[user],
        asset_id=asset,
        asset=NAMES[asset],
        system_user_id=uuid4(),
        system_user="root",
        date_start=at,
        **state,
    )


def read(client: APIClient, *flags: str, org: UUID | None = None) -> dict[str, Any]:
    headers = {"X-JMS-ORG": str(org)} if org else {}
    answer = client.get(URL, dict.fromkeys(flags, "1"), headers={"Accept-Language": "en", **headers})
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.mark.parametrize("is_counted", [True, False], ids=["counted", "not counted yet"])
def test_days_and_the_most_used_are_the_same_whether_a_day_was_counted_or_not(
    as_org_admin: APIClient, *, is_counted: bool
) -> None:
    for user, asset, days_ago in (
        (ANN, WEB, 0),
        (ANN, WEB, 0),
        (BEN, WEB, 1),
        (BEN, DB, 1),
        (BEN, DB, 6),
        (ANN, DB, 7),
        (ANN, DB, 29),
        (ANN, DB, 30),
    ):
        begun(user, asset, days_ago=days_ago)
    if is_counted:
        assert count_ended_days(clock.now()) == 30
        assert count_ended_days(clock.now()) == 0
    week = read(as_org_admin, "dates_metrics", "dates_login_times_top10_users", "dates_login_times_top10_assets")
    today = day_of(clock.now())
    assert week["dates_metrics_date"] == [f"{today - timedelta(days=ago):%m-%d}" for ago in range(6, -1, -1)]
    assert week["dates_metrics_total_count_login"] == [1, 0, 0, 0, 0, 2, 2]
    assert week["dates_metrics_total_count_active_users"] == [1, 0, 0, 0, 0, 1, 1]
    assert week["dates_metrics_total_count_active_assets"] == [1, 0, 0, 0, 0, 2, 1]
    assert [(row["user"], row["total"]) for row in week["dates_login_times_top10_users"]] == [
        ("Ben(ben)", 3),
        ("Ann(ann)", 2),
    ]
    assert [(row["asset"], row["total"]) for row in week["dates_login_times_top10_assets"]] == [("web", 3), ("db", 2)]
    month = read(as_org_admin, "monthly", "dates_metrics", "dates_login_times_top5_users", "dates_total_count")
    assert len(month["dates_metrics_date"]) == 30
    assert sum(month["dates_metrics_total_count_login"]) == 7
    assert month["dates_login_times_top5_users"] == [{"user": str(ANN), "total": 4}, {"user": str(BEN), "total": 3}]
    assert (month["dates_total_count_login_users"], month["dates_total_count_login_times"]) == (2, 7)


def test_people_and_assets_are_active_inactive_or_disabled(
    as_org_admin: APIClient, people: dict[str, User], make_user: Callable[..., User]
) -> None:
    make_user("off", is_active=False)
    ann = make_user("ann")
    NAMES[ann.pk] = "Ann(ann)"
    used, _idle, _off = make_asset("used"), make_asset("idle"), make_asset("off", is_active=False)
    NAMES[used.pk] = "used"
    begun(ann.pk, used.pk, days_ago=0, live=True)
    begun(ann.pk, used.pk, days_ago=0)
    figures = read(as_org_admin, "all")
    members = User.objects.members_of(DEFAULT_ORG_ID).count()
    assert figures["total_count_users"] == members
    assert figures["dates_total_count_active_users"] == 1
    assert figures["dates_total_count_disabled_users"] == 1
    assert figures["dates_total_count_inactive_users"] == members - 2
    assert [figures[f"dates_total_count_{state}_assets"] for state in ("active", "inactive", "disabled")] == [1, 1, 1]
    assert (figures["total_count_online_users"], figures["total_count_online_sessions"]) == (1, 1)
    assert read(as_org_admin, "total_count_assets") == {"total_count_assets": 3}
    newest = figures["dates_login_record_top10_sessions"]
    assert sorted(row["is_finished"] for row in newest) == [False, True]
    assert set(newest[0]) == {"id", "user", "asset", "is_finished", "date_start", "timesince"}


def test_an_organization_sees_itself_and_the_global_one_all(
    as_org_admin: APIClient, as_admin: APIClient, as_auditor: APIClient, as_user: APIClient
) -> None:
    other = create_organization(actor=SYSTEM, name="other").pk
    begun(ANN, WEB, days_ago=3)
    begun(ANN, WEB, days_ago=3, org_id=other)
    begun(BEN, DB, days_ago=0, org_id=other)
    count_ended_days(clock.now())
    flags = ("dates_total_count", "dates_login_times_top10_users", "dates_metrics")
    assert read(as_org_admin, *flags)["dates_total_count_login_times"] == 1
    root = read(as_admin, *flags, org=ROOT_ORG_ID)
    assert (root["dates_total_count_login_users"], root["dates_total_count_login_times"]) == (2, 3)
    assert root["dates_metrics_total_count_active_users"][3] == 1
    assert as_org_admin.get(URL, {"all": "1"}, headers={"X-JMS-ORG": str(other)}).status_code == 403
    assert read(as_auditor, "dates_total_count")["dates_total_count_login_times"] == 1
    assert as_user.get(URL, {"all": "1"}).status_code == 403
    assert read(as_org_admin) == {}


def test_days_are_those_of_the_time_zone_and_are_counted_again_when_it_changes(
    as_org_admin: APIClient, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime(2026, 3, 10, 12, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: now)
    settings.TIME_ZONE = "Asia/Shanghai"
    row = begun(ANN, WEB, days_ago=1)
    Session.objects.filter(pk=row.pk).update(
        date_start=datetime(2026, 3, 8, 17, tzinfo=UTC), date_end=datetime(2026, 3, 8, 18, tzinfo=UTC)
    )
    assert count_ended_days(now) == 30
    assert list(DayUse.objects.values_list("day", flat=True).distinct()) == [date(2026, 3, 9)]
    settings.TIME_ZONE = "UTC"
    assert read(as_org_admin, "dates_metrics")["dates_metrics_total_count_login"] == [0, 0, 0, 0, 1, 0, 0]
    assert count_ended_days(now) == 30
    assert list(DayUse.objects.values_list("day", flat=True).distinct()) == [date(2026, 3, 8)]
    assert set(CountedDay.objects.values_list("zone", flat=True)) == {"UTC"}
    later = now + timedelta(days=70)
    count_ended_days(later)
    assert not DayUse.objects.exists()
