"""Lists stay bounded and correct at any size: arrays without a limit, far pages, total order, cached counts."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from postern.apps.assets.assets.actions import assets as asset_actions
from postern.apps.assets.installation import ensure
from postern.apps.assets.models import Asset, Platform
from postern.apps.users.models import User, UserGroup
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.rest import memo, pagination
from postern.kernel.ids import DEFAULT_ORG_ID

GROUPS = "/api/v1/users/groups/"
ASSETS = "/api/v1/assets/assets/"


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    memo.forget_all()
    yield
    memo.forget_all()


@pytest.fixture
def groups(db: None) -> list[UserGroup]:
    rows = [UserGroup(name=f"group {number:04}", org_id=DEFAULT_ORG_ID) for number in range(600)]
    return UserGroup.objects.bulk_create(rows)


def test_array_without_limit_is_bounded(
    as_org_admin: APIClient, groups: list[UserGroup], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pagination, "MAX_LIMIT", 600)
    assert len(as_org_admin.get(GROUPS).json()) == 600
    monkeypatch.setattr(pagination, "MAX_LIMIT", 599)
    answer = as_org_admin.get(GROUPS)
    assert (answer.status_code, set(answer.json())) == (400, {"limit"})
    assert "599" in answer.json()["limit"][0]
    assert answer.json() != as_org_admin.get(f"{GROUPS}?limit=5").json()
    assert len(as_org_admin.get(f"{GROUPS}?limit=5").json()["results"]) == 5


@pytest.mark.parametrize("order", ["name", "-name", "date_created", "-comment"])
def test_far_pages_continue_the_list(as_org_admin: APIClient, groups: list[UserGroup], order: str) -> None:
    """Pages in the second half are read from the end. All pages together are the whole list, each row once."""
    whole = [row["id"] for row in as_org_admin.get(f"{GROUPS}?order={order}").json()]
    pages: list[str] = []
    for offset in range(0, 600, 50):
        pages += [row["id"] for row in as_org_admin.get(GROUPS, _page(offset, order)).json()["results"]]
    assert pages == whole
    assert len(set(pages)) == 600


def _page(offset: int, order: str) -> dict[str, str]:
    return {"limit": "50", "offset": str(offset), "order": order}


def test_count_stops_at_the_bound_and_next_still_reaches_the_last_row(
    as_org_admin: APIClient, groups: list[UserGroup], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pagination, "COUNTED", 120)
    url: str | None = f"{GROUPS}?limit=50&order=name"
    names, counts = list[str](), list[tuple[int, bool]]()
    while url is not None:
        page = as_org_admin.get(url).json()
        names += [row["name"] for row in page["results"]]
        counts.append((page["count"], page.get("count_is_minimum", False)))
        url = page["next"]
    assert names == [group.name for group in groups]
    assert counts[:3] == [(120, True), (120, True), (150, True)]
    assert counts[-2:] == [(550, True), (600, False)]


def test_counts_over_several_tables_have_a_lower_bound(
    as_org_admin: APIClient, groups: list[UserGroup], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pagination, "COUNTED", 120)
    monkeypatch.setattr(pagination, "COUNTED_ACROSS", 70)
    person = User.objects.members_of(DEFAULT_ORG_ID).first()
    assert person is not None
    UserGroup.users.through.objects.bulk_create(
        UserGroup.users.through(usergroup=group, user=person) for group in groups
    )
    url: str | None = "/api/v1/users/users-groups-relations/?limit=50"
    pages, ids = [], list[int]()
    while url is not None:
        page = as_org_admin.get(url).json()
        pages.append((page["count"], page.get("count_is_minimum", False)))
        ids += [row["id"] for row in page["results"]]
        url = page["next"]
    assert pages[:3] == [(70, True), (100, True), (150, True)]
    assert pages[-1] == (600, False)
    assert len(set(ids)) == len(ids) == 600


def test_far_page_reads_its_keys_once_and_does_not_count(
    as_org_admin: APIClient, groups: list[UserGroup], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pagination, "COUNTED", 120)
    as_org_admin.get(GROUPS, _page(100, "name"))
    with CaptureQueriesContext(connection) as queries:
        as_org_admin.get(GROUPS, _page(100, "name"))
    assert not [query for query in queries if "AS counted" in query["sql"]]


@pytest.mark.parametrize("count", [119, 120])
def test_count_up_to_the_bound_is_exact(as_org_admin: APIClient, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(pagination, "COUNTED", 120)
    UserGroup.objects.bulk_create(UserGroup(name=f"group {number}", org_id=DEFAULT_ORG_ID) for number in range(count))
    page = as_org_admin.get(f"{GROUPS}?limit=15").json()
    assert (page["count"], "count_is_minimum" in page) == (count, False)


@pytest.mark.parametrize("offset", ["600", "99999999999999999999", "-5", "x"])
def test_offset_beyond_the_end_is_an_empty_page(as_org_admin: APIClient, groups: list[UserGroup], offset: str) -> None:
    answer = as_org_admin.get(GROUPS, {"limit": "50", "offset": offset}).json()
    assert answer["count"] == 600
    assert len(answer["results"]) == (0 if offset[0] in "69" else 50)


@pytest.mark.spec("S7-056")
@pytest.mark.parametrize("form", ["iso", "display", "naive day"])
def test_date_range_takes_iso_dates_and_the_display_format(as_admin: APIClient, form: str) -> None:
    """Of two events an hour apart, each end of the range keeps one event."""
    as_admin.post(GROUPS, {"name": "early"})
    as_admin.post(GROUPS, {"name": "late"})
    now = timezone.now()
    day = timezone.timedelta(days=1)
    texts = {
        "iso": ((now - day).strftime("%Y-%m-%dT%H:%M:%S.000Z"), (now + day).strftime("%Y-%m-%dT%H:%M:%S.000Z")),
        "display": ((now - day).strftime("%Y/%m/%d %H:%M:%S +0000"), (now + day).strftime("%Y/%m/%d %H:%M:%S +0000")),
        "naive day": ((now - day).strftime("%Y-%m-%d %H:%M:%S +0000"), (now + day).strftime("%Y-%m-%d %H:%M:%S +0000")),
    }
    before, after = texts[form]
    log = "/api/v1/audits/operate-logs/"

    def count(**query: str) -> int:
        total: int = as_admin.get(log, {**query, "limit": "1"}).json()["count"]
        return total

    total = count()
    assert total >= 2
    assert count(date_from=before, date_to=after) == total
    assert count(date_from=after) == 0
    assert count(date_to=before) == 0


# --- cached counts ---


@pytest.fixture
def admin(make_user: Callable[..., User], client_of: Callable[[User | None], APIClient]) -> APIClient:
    return client_of(make_user("adam", role="Admin", org_role="Admin"))


def _count(client: APIClient, **query: str) -> int:
    count: int = client.get(ASSETS, {"limit": "1", **query}).json()["count"]
    return count


def _make(name: str, ip: str = "203.0.113.1") -> Asset:
    platform = Platform.objects.get(name="Linux")
    values = {"hostname": name, "ip": ip, "platform": platform}
    return asset_actions.create_asset(actor=SYSTEM, org_id=DEFAULT_ORG_ID, values=values)


@pytest.mark.django_db(transaction=True)
def test_count_is_cached_until_the_assets_change(admin: APIClient) -> None:
    ensure()
    first = _make("web-1")
    assert _count(admin) == 1

    with CaptureQueriesContext(connection) as queries:
        assert _count(admin) == 1
    assert [query["sql"] for query in queries if "COUNT(" in query["sql"]] == [], "counted a second time"

    _make("db-1", "203.0.113.9")
    assert _count(admin) == 2
    for query, expected in (
        ({"search": "web"}, 1),
        ({"ip": "203.0.113.9"}, 1),
        ({"hostname": "none"}, 0),
        ({"is_active": "1"}, 2),
    ):
        assert _count(admin, **query) == expected  # type: ignore[arg-type]  # names of query parameters
        assert _count(admin, **query) == expected  # type: ignore[arg-type]  # names of query parameters

    asset_actions.update_asset(actor=SYSTEM, asset=first, values={"hostname": "renamed"})
    assert _count(admin, search="web") == 0
    asset_actions.delete_asset(actor=SYSTEM, asset=first)
    assert _count(admin) == 1
    assert _count(admin, search="db") == 1


@pytest.mark.django_db(transaction=True)
def test_k24_cached_count_is_not_shown_in_another_organization_or_without_the_right(
    admin: APIClient, make_user: Callable[..., User], client_of: Callable[[User | None], APIClient]
) -> None:
    ensure()
    _make("web-1")
    assert _count(admin) == 1
    other = make_user("uma")
    assert client_of(other).get(ASSETS, {"limit": "1"}).status_code == 403
    made = admin.post("/api/v1/orgs/orgs/", {"name": "Elsewhere"})
    if made.status_code == 201:
        answer = admin.get(ASSETS, {"limit": "1"}, headers={"X-JMS-ORG": made.json()["id"]})
        assert answer.json()["count"] == 0
    assert admin.get(ASSETS, {"limit": "1"}, headers={"X-JMS-ORG": "root"}).json()["count"] == 1


@pytest.mark.django_db(transaction=True)
def test_count_over_tables_without_a_version_is_not_cached(admin: APIClient) -> None:
    """Labels do not increment the version of the tree, so a count by label is never cached."""
    ensure()
    asset = _make("web-1")
    label = admin.post("/api/v1/assets/labels/", {"name": "stage", "value": "live", "assets": [str(asset.pk)]}).json()
    assert _count(admin, label="stage:live") == 1
    admin.delete(f"/api/v1/assets/labels/{label['id']}/")
    assert _count(admin, label="stage:live") == 0


@pytest.mark.django_db(transaction=True)
def test_relations_in_a_page_equal_those_of_the_single_object(admin: APIClient) -> None:
    """The list reads relations in its own queries. The result must equal what the serializer shows of a plain row."""
    ensure()
    for number in range(3):
        asset = _make(f"web-{number}")
        body: dict[str, Any] = {"name": "number", "value": str(number), "assets": [str(asset.pk)]}
        assert admin.post("/api/v1/assets/labels/", body).status_code == 201
    listed = admin.get(ASSETS, {"limit": "5", "order": "hostname"}).json()["results"]
    assert [row["labels_display"] for row in listed] == [[f"number:{number}"] for number in range(3)]
    for row in listed:
        assert row["nodes_display"] == ["/Default"]
        assert admin.get(f"{ASSETS}{row['id']}/").json() == row
