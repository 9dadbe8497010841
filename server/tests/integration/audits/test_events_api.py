"""The list of audit events: texts of every kind, filters, search, export, and speed in a large table."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from postern.apps.audits import facade
from postern.apps.audits.api import newest, views
from postern.apps.audits.catalogue import Event
from postern.apps.audits.categories import Category
from postern.apps.audits.kinds_by_code import in_category
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM, Actor, ActorKind
from postern.foundation.rest import filters
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID, new_id

pytestmark = pytest.mark.django_db
EVENTS = "/api/v1/audits/events/"
IN_ENGLISH = {"HTTP_ACCEPT_LANGUAGE": "en"}
IN_CHINESE = {"HTTP_ACCEPT_LANGUAGE": "zh-hans"}
ANN = Actor(kind=ActorKind.USER, user_id=new_id(), username="ann", name="Ann", remote_addr="192.0.2.7")


def record_event(event: Event, org_id: Any = DEFAULT_ORG_ID, actor: Actor = SYSTEM, **more: Any) -> None:
    values = {"object_type": "Session", "object_name": "root@web-1", "object_id": str(new_id()), **more}
    facade.record(actor=actor, org_id=org_id, event=event, **values)


@pytest.fixture
def everything() -> None:
    for event in Event:
        record_event(event)


def codes(answer: Any) -> set[str]:
    assert answer.status_code == 200, answer.content
    return {row["event"] for row in answer.json()["results"]}


@pytest.mark.usefixtures("everything")
def test_every_kind_of_event_is_listed_with_texts_in_both_languages(as_auditor: APIClient) -> None:
    for headers, words in ((IN_ENGLISH, "english"), (IN_CHINESE, "chinese")):
        rows = as_auditor.get(EVENTS, {"limit": "1000"}, **headers).json()["results"]
        texts = {row["event"]: (row["event_display"], row["category_display"]) for row in rows}
        assert texts == {e.value: (getattr(e, words), getattr(e.category, words)) for e in Event}


@pytest.mark.usefixtures("everything")
def test_every_kind_and_every_category_can_be_filtered(as_auditor: APIClient) -> None:
    choices = as_auditor.options(EVENTS, **IN_CHINESE).json()["actions"]["GET"]
    assert {(choice["value"], choice["display_name"]) for choice in choices["event"]["choices"]} == {
        (event.value, event.chinese) for event in Event
    }
    assert {choice["value"] for choice in choices["category"]["choices"]} == {category.value for category in Category}
    assert choices["category"]["filter"] is True
    for event in Event:
        assert codes(as_auditor.get(EVENTS, {"limit": "10", "event": event.value})) == {event.value}
    for category in Category:
        event_codes = codes(as_auditor.get(EVENTS, {"limit": "200", "category": category.value}))
        assert event_codes == {event.value for event in in_category(category)}


def test_unknown_category_is_refused(as_auditor: APIClient) -> None:
    assert as_auditor.get(EVENTS, {"category": "nothing"}).status_code == 400


def test_event_has_old_and_new_values_side_by_side(as_auditor: APIClient) -> None:
    record_event(
        Event.ASSET_UPDATED, object_type="Asset", old={"ip": "10.0.0.1", "gone": 1}, new={"ip": "10.0.0.2", "made": 2}
    )
    row = as_auditor.get(EVENTS, {"limit": "1"}, **IN_ENGLISH).json()["results"][0]
    assert row["changes"] == [
        {"field": "ip", "label": "IP", "before": "10.0.0.1", "after": "10.0.0.2"},
        {"field": "gone", "label": "gone", "before": 1},
        {"field": "made", "label": "made", "after": 2},
    ]
    event = as_auditor.get(f"{EVENTS}{row['id']}/").json()
    assert (event["sequence"], event["resource_type_display"] != "") == (row["sequence"], True)
    assert not {"digest", "previous", "login_session"} & set(event)


def test_events_are_found_by_user_object_address_date_and_words(as_auditor: APIClient) -> None:
    record_event(Event.REPLAY_OPENED, actor=ANN, object_name="root@db-1")
    record_event(Event.SESSION_REFUSED, object_name="root@web-9", object_type="User")
    object_id = AuditEvent.objects.get(event="replay.opened").resource_id
    hour = timedelta(hours=1)
    for query in (
        {"user": "Ann(ann)"},
        {"remote_addr": "192.0.2.7"},
        {"resource_id": object_id},
        {"resource_type": "Session"},
        {"search": "db-1"},
        {"search": "ann"},
        {"event": "replay.opened", "date_from": (clock.now() - hour).isoformat()},
        {"category": "viewing", "user": "Ann(ann)"},
    ):
        assert codes(as_auditor.get(EVENTS, {"limit": "9", **query})) == {"replay.opened"}, query
    assert codes(as_auditor.get(EVENTS, {"limit": "9", "date_to": (clock.now() - hour).isoformat()})) == set()


def counted(client: APIClient, **query: str) -> dict[str, int]:
    answer = client.get(f"{EVENTS}categories/", query, **IN_ENGLISH)
    assert answer.status_code == 200, answer.content
    return {row["value"]: row["count"] for row in answer.json() if row["count"]}


def test_categories_are_counted_under_the_other_filters_of_the_list(as_auditor: APIClient) -> None:
    before = counted(as_auditor)
    for event, actor in ((Event.REPLAY_OPENED, ANN), (Event.REPLAY_OPENED, SYSTEM), (Event.SESSION_REFUSED, ANN)):
        record_event(event, actor=actor)
    now = counted(as_auditor)
    added = {name: now[name] - before.get(name, 0) for name in now if now[name] != before.get(name, 0)}
    assert added == {"viewing": 2, "refusals": 1}
    for query in ({"user": "Ann(ann)"}, {"search": "ann"}, {"user": "Ann(ann)", "category": "messages"}):
        assert counted(as_auditor, **query) == {"viewing": 1, "refusals": 1}, query
    assert counted(as_auditor, date_to=(clock.now() - timedelta(hours=1)).isoformat()) == {}
    counts = as_auditor.get(f"{EVENTS}categories/", **IN_ENGLISH).json()
    assert [row["value"] for row in counts] == [category.value for category in Category]
    for row in counts:
        rows = as_auditor.get(EVENTS, {"limit": "1", "category": row["value"]}).json()
        assert rows["count"] == row["count"]
        assert row["display_name"] == Category(row["value"]).english


def test_count_of_a_category_stops_at_a_limit(as_auditor: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_COUNTED_EACH", 2)
    for _ in range(2):
        record_event(Event.REPLAY_OPENED)
    by_name = {row["value"]: row for row in as_auditor.get(f"{EVENTS}categories/").json()}
    assert (by_name["viewing"]["count"], by_name["viewing"]["count_is_minimum"]) == (2, False)
    record_event(Event.REPLAY_OPENED)
    by_name = {row["value"]: row for row in as_auditor.get(f"{EVENTS}categories/").json()}
    assert (by_name["viewing"]["count"], by_name["viewing"]["count_is_minimum"]) == (2, True)


def test_one_statement_counts_all_categories(as_auditor: APIClient) -> None:
    record_event(Event.REPLAY_OPENED, actor=ANN)
    for query in ({}, {"user": "Ann(ann)"}, {"event": "replay.opened"}, {"date_from": "2001-01-01T00:00:00Z"}):
        with CaptureQueriesContext(connection) as captured:
            assert counted(as_auditor, **query)["viewing"] == 1
        assert len([query for query in captured if "audits_auditevent" in query["sql"]]) == 1, query


def test_count_under_a_narrow_filter_stops_and_is_a_minimum_in_every_category(
    as_auditor: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "SEARCHED", 2)

    def minimum_flags() -> set[bool]:
        rows = as_auditor.get(f"{EVENTS}categories/", {"user": "Ann(ann)"}).json()
        assert sum(row["count"] for row in rows) <= 3
        return {row["count_is_minimum"] for row in rows}

    for expected in ({False}, {False}, {True}, {True}):
        record_event(Event.REPLAY_OPENED, actor=ANN)
        assert minimum_flags() == expected


def test_counts_of_categories_include_only_readable_events(
    people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    other = Organization.objects.create(name="Elsewhere")
    record_event(Event.REPLAY_OPENED, other.pk)
    assert "viewing" not in counted(client_of(people["auditor"]))
    there = client_of(people["system_auditor"]).get(f"{EVENTS}categories/", headers={"X-JMS-ORG": str(other.pk)})
    assert {row["value"] for row in there.json() if row["count"]} == {"viewing"}


def test_events_are_read_only_and_for_auditors_and_administrators(
    people: dict[str, User], client_of: Callable[[User | None], APIClient], as_anonymous: APIClient
) -> None:
    statuses = {role: client_of(user).get(EVENTS).status_code for role, user in people.items()}
    assert statuses == {"user": 403, "auditor": 200, "org_admin": 200, "system_auditor": 200, "admin": 200}
    assert as_anonymous.get(EVENTS).status_code == 401
    for method in ("post", "put", "patch", "delete"):
        assert getattr(client_of(people["admin"]), method)(EVENTS).status_code == 405


def test_events_without_an_organization_are_for_roles_that_see_everything(
    people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    other = Organization.objects.create(name="Elsewhere")
    record_event(Event.ASSET_CREATED)
    record_event(Event.SETTINGS_UPDATED, ROOT_ORG_ID)
    record_event(Event.NODE_CREATED, other.pk)
    mine = {"asset.created", "settings.updated", "node.created"}

    def seen(role: str, org: object) -> set[str]:
        answer = client_of(people[role]).get(EVENTS, {"limit": "50"}, headers={"X-JMS-ORG": str(org)})
        return mine & codes(answer) if answer.status_code == 200 else set()

    for role in ("auditor", "org_admin"):
        assert seen(role, DEFAULT_ORG_ID) == {"asset.created"}
        assert seen(role, other.pk) == set()
        assert seen(role, ROOT_ORG_ID) == set()
    for role in ("system_auditor", "admin"):
        assert seen(role, DEFAULT_ORG_ID) == {"asset.created", "settings.updated"}
        assert seen(role, other.pk) == {"node.created"}
        assert seen(role, ROOT_ORG_ID) == mine
    hidden = AuditEvent.objects.get(event="settings.updated")
    assert client_of(people["auditor"]).get(f"{EVENTS}{hidden.pk}/").status_code == 404


def test_export_of_events_applies_the_filters(as_auditor: APIClient) -> None:
    record_event(Event.REPLAY_OPENED)
    record_event(Event.SESSION_REFUSED)
    answer = as_auditor.get(EVENTS, {"format": "csv", "category": "viewing"}, **IN_ENGLISH)
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    assert "Replay opened" in text
    assert "Session refused" not in text
    assert AuditEvent.objects.filter(event="auditevent.exported").count() == 1


def test_pages_have_no_gap_and_no_duplicate(as_admin: APIClient) -> None:
    for number in range(40):
        record_event(
            (Event.REPLAY_OPENED, Event.COMMANDS_VIEWED)[number % 2], (DEFAULT_ORG_ID, ROOT_ORG_ID)[number % 3 // 2]
        )
    for query in ({}, {"category": "viewing"}):
        pages = [as_admin.get(EVENTS, {"limit": "7", "offset": str(n), **query}).json() for n in range(0, 49, 7)]
        event_ids = [row["id"] for page in pages for row in page["results"]]
        assert len(event_ids) == len(set(event_ids)) == pages[0]["count"]
        times = [row["datetime"] for page in pages for row in page["results"]]
        assert times == sorted(times, reverse=True)
    assert pages[0]["count"] == 40
    assert pages[-1]["next"] is None


def test_count_and_search_report_where_they_stopped(as_auditor: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newest, "COUNTED", 5)
    monkeypatch.setattr(filters, "SEARCHED", 3)
    for number in range(9):
        record_event(Event.REPLAY_OPENED, object_name=f"root@web-{number}")
    page = as_auditor.get(EVENTS, {"limit": "2"}).json()
    assert (page["count"], page["count_is_minimum"], page.get("searched_from")) == (5, True, None)
    searched = as_auditor.get(EVENTS, {"limit": "2", "search": "web-0"}).json()
    assert searched["results"] == []
    assert searched["searched_from"] is not None
    assert as_auditor.get(EVENTS).status_code == 400  # without `limit`, the answer would have too many rows


FILTERS: list[dict[str, str]] = [
    {},
    {"event": "vault.keys_retired"},
    {"category": "credentials"},
    {"category": "messages"},
    {"user": "Nobody(nobody)"},
    {"remote_addr": "203.0.113.250"},
    {"resource_type": "Nothing"},
    {"resource_id": "6f1c2b9e-6f58-4c0e-9d0c-2b7f6f0a4d11"},
    {"date_from": "2001-01-01T00:00:00Z", "date_to": "2001-01-02T00:00:00Z"},
    {"search": "nothing-like-this"},
]


def _fill(count: int) -> None:
    """Insert rows without a valid chain, because only reading is tested."""
    start = AuditEvent.objects.count()
    kinds = [Event.REPLAY_OPENED, Event.SIGN_IN_FAILED, Event.ASSET_UPDATED, Event.SESSION_STARTED]
    now = clock.now()
    AuditEvent.objects.bulk_create(
        [
            AuditEvent(
                org_id=(DEFAULT_ORG_ID, ROOT_ORG_ID)[number % 2],
                sequence=1_000_000 + number,
                datetime=now - timedelta(seconds=number),
                event=kinds[number % 4].value,
                action="other",
                actor_kind="user",
                user=f"User {number % 50}",
                remote_addr=f"192.0.2.{number % 200}",
                resource_type="Session",
                resource_id=str(new_id()),
                resource=f"root@web-{number}",
                previous="",
                digest="",
            )
            for number in range(start, start + count)
        ],
        batch_size=500,
    )


@pytest.fixture
def steps() -> Callable[[Callable[[], object]], int]:
    """Count the executed SQLite VM instructions, which grow with each row or index entry that is read."""

    def count(call: Callable[[], object]) -> int:
        counted = [0]

        def step() -> int:
            counted[0] += 1
            return 0

        connection.ensure_connection()
        connection.connection.set_progress_handler(step, 10)
        try:
            call()
        finally:
            connection.connection.set_progress_handler(None, 0)
        return counted[0]

    return count


@pytest.mark.skipif(
    'connection.vendor != "sqlite"',
    reason="SQLite counts its steps; PostgreSQL has the same indexes and no such counter",
)
def test_rows_read_for_a_page_do_not_grow_with_the_table(
    as_admin: APIClient, steps: Callable[[Callable[[], object]], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newest, "COUNTED", 200)
    monkeypatch.setattr(filters, "SEARCHED", 500)

    def cost(query: dict[str, str]) -> int:
        as_admin.get(EVENTS, {"limit": "15", **query})
        return steps(lambda: as_admin.get(EVENTS, {"limit": "15", **query}))

    _fill(2_000)
    few = [cost(query) for query in FILTERS]
    _fill(14_000)
    many = [cost(query) for query in FILTERS]
    grown = [(query, a, b) for query, a, b in zip(FILTERS, few, many, strict=True) if b > 1.2 * a + 50]
    assert grown == []


@pytest.mark.skipif(
    'connection.vendor != "sqlite"',
    reason="SQLite counts its steps; PostgreSQL has the same indexes and no such counter",
)
def test_rows_read_for_counts_do_not_grow_with_the_number_of_categories(
    as_admin: APIClient, steps: Callable[[Callable[[], object]], int]
) -> None:
    _fill(8_000)
    readable = AuditEvent.objects.filter(org_id__in=(DEFAULT_ORG_ID, ROOT_ORG_ID))

    def cost(query: dict[str, str]) -> int:
        as_admin.get(f"{EVENTS}categories/", query)
        return steps(lambda: as_admin.get(f"{EVENTS}categories/", query))

    of_nobody = cost({"user": "Nobody(nobody)"})
    for query in ({"user": "User 4"}, {"event": "replay.opened"}, {"resource_type": "Session"}):
        reading_them_once = steps(lambda: list(readable.filter(**query).order_by().values_list("event")))  # noqa: B023 - called at once
        assert cost(query) - of_nobody < 6 * reading_them_once, query  # grouping sorts them
