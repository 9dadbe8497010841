"""Bulk writes are all or nothing. Errors are returned at the position of their item, and each write is audited."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from postern.apps.audits.models import AuditEvent
from postern.apps.users.models import UserGroup
from postern.kernel.ids import DEFAULT_ORG_ID, new_id

pytestmark = pytest.mark.django_db

URL = "/api/v1/users/groups/"


@pytest.fixture
def groups(db: None) -> list[UserGroup]:
    return [UserGroup.objects.create(name=name, org_id=DEFAULT_ORG_ID) for name in ("alpha", "beta", "gamma")]


def _names() -> list[str]:
    return sorted(UserGroup.objects.values_list("name", flat=True))


def test_duplicates_in_one_array_are_an_error_of_the_second_item(as_org_admin: APIClient) -> None:
    answer = as_org_admin.post(URL, [{"name": "one"}, {"name": "twin"}, {"name": "twin"}, {"name": "last"}])
    assert answer.status_code == 400
    assert [set(item) for item in answer.json()] == [set(), set(), {"name"}, set()]
    assert _names() == []


def test_unreadable_items_are_reported_at_their_positions(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    answer = as_org_admin.post(URL, [{"name": "one"}, 7, {"name": ""}, {"name": "x" * 129}])
    assert (answer.status_code, len(answer.json())) == (400, 4)
    assert [set(item) for item in answer.json()] == [set(), {"non_field_errors"}, {"name"}, {"name"}]
    answer = as_org_admin.patch(URL, [{"id": str(groups[0].pk)}, 7])
    assert [set(item) for item in answer.json()] == [set(), {"non_field_errors"}]


def test_object_listed_twice_is_refused(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    twice = str(groups[0].pk)
    answer = as_org_admin.patch(
        URL, [{"id": twice, "name": "a"}, {"id": str(groups[1].pk)}, {"id": twice, "name": "b"}]
    )
    assert answer.status_code == 400
    assert [set(item) for item in answer.json()] == [set(), set(), {"id"}]
    assert _names() == ["alpha", "beta", "gamma"]


@pytest.mark.parametrize("key", ["nonsense", 7, True, [], {}, "\x00", "0" * 5_000])
def test_unknown_id_is_an_error_of_its_item(as_org_admin: APIClient, groups: list[UserGroup], key: Any) -> None:
    answer = as_org_admin.patch(URL, [{"id": str(groups[0].pk), "name": "changed"}, {"id": key, "name": "x"}])
    assert (answer.status_code, [set(item) for item in answer.json()]) == (400, [set(), {"id"}])
    assert "changed" not in _names()


@pytest.mark.parametrize("method", ["put", "patch"])
def test_item_without_id_and_empty_array_are_refused(
    as_org_admin: APIClient, groups: list[UserGroup], method: str
) -> None:
    call = getattr(as_org_admin, method)
    answer = call(URL, [{"id": str(groups[0].pk), "name": "a"}, {"name": "b"}])
    assert (answer.status_code, answer.json()) == (400, [["id or pk not in data"]])
    assert (call(URL, []).status_code, call(URL, []).json()) == (200, [])
    assert as_org_admin.post(URL, []).json() == []


def test_more_than_1000_items_are_refused_with_a_clear_error(as_org_admin: APIClient) -> None:
    many = [{"name": f"group {number}"} for number in range(1_001)]
    for answer in (
        as_org_admin.post(URL, many),
        as_org_admin.patch(URL, [{**error, "id": str(new_id())} for error in many]),
    ):
        assert answer.status_code == 400
        assert "1000" in answer.json()[0]
    assert UserGroup.objects.count() == 0


def test_put_of_an_array_needs_the_required_fields(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    body = [{"id": str(groups[0].pk), "name": "whole"}, {"id": str(groups[1].pk), "comment": "half"}]
    answer = as_org_admin.put(URL, body)
    assert (answer.status_code, [set(item) for item in answer.json()]) == (400, [set(), {"name"}])
    assert as_org_admin.patch(URL, body).status_code == 200
    assert _names() == ["beta", "gamma", "whole"]


def test_answer_has_whole_objects_in_the_order_of_the_request(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    body = [{"id": str(group.pk), "comment": group.name[::-1]} for group in reversed(groups)]
    answer = as_org_admin.patch(URL, body).json()
    assert [row["comment"] for row in answer] == ["ammag", "ateb", "ahpla"]
    assert answer == [as_org_admin.get(f"{URL}{row['id']}/").json() for row in answer]


@pytest.mark.spec("S7-049")
def test_fields_that_are_not_sent_keep_their_values(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    """The bulk update dialog depends on it: PATCH of an array changes only the sent fields of the listed rows."""
    as_org_admin.patch(URL, [{"id": str(groups[0].pk), "comment": "old"}])
    answer = as_org_admin.patch(URL, [{"id": str(groups[0].pk), "name": "renamed"}])
    assert (answer.json()[0]["name"], answer.json()[0]["comment"]) == ("renamed", "old")
    assert _names() == ["beta", "gamma", "renamed"]


def test_unknown_and_read_only_keys_are_ignored(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    body = {
        "name": "alpha",
        "@status": "ok",
        "org_id": str(new_id()),
        "created_by": "me",
        "date_created": "x",
        "org_name": 1,
    }
    for answer in (
        as_org_admin.put(f"{URL}{groups[0].pk}/", body),
        as_org_admin.patch(URL, [{**body, "id": str(groups[0].pk)}]),
        as_org_admin.post(URL, {**body, "name": "fresh"}),
    ):
        assert answer.status_code in {200, 201}, answer.content
    group = as_org_admin.get(f"{URL}{groups[0].pk}/").json()
    assert group["org_id"] == str(DEFAULT_ORG_ID)
    assert group["created_by"] != "me"


def test_each_write_of_an_array_is_audited_with_old_and_new_values(
    as_org_admin: APIClient, groups: list[UserGroup]
) -> None:
    body = [{"id": str(groups[0].pk), "comment": "why"}, {"id": str(groups[1].pk), "name": "beta 2"}]
    own_chain = AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID).order_by("sequence")
    before = own_chain.count()
    assert as_org_admin.patch(URL, body).status_code == 200
    rows = list(own_chain[before:])
    assert [row.resource_id for row in rows] == [str(groups[0].pk), str(groups[1].pk)]
    assert (rows[0].new["comment"], rows[1].old["name"], rows[1].new["name"]) == ("why", "beta", "beta 2")


def test_refused_array_leaves_no_audit_record(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    before = AuditEvent.objects.count()
    body = [{"id": str(groups[0].pk), "name": "fine"}, {"id": str(groups[1].pk), "name": "gamma"}]
    answer = as_org_admin.patch(URL, body)
    assert (answer.status_code, [set(item) for item in answer.json()]) == (400, [set(), {"name"}])
    assert (AuditEvent.objects.count(), _names()) == (before, ["alpha", "beta", "gamma"])


def test_referenced_object_is_not_deleted_and_the_referring_objects_are_named(as_admin: APIClient) -> None:
    platform = as_admin.post("/api/v1/assets/platforms/", {"name": "Own", "base": "Linux"}).json()
    for number in range(5):
        body = {"hostname": f"web-{number}", "ip": "203.0.113.7", "platform": "Own"}
        assert as_admin.post("/api/v1/assets/assets/", body).status_code == 201
    answer = as_admin.delete(f"/api/v1/assets/platforms/{platform['id']}/", headers={"Accept-Language": "en"})
    assert (answer.status_code, answer.json()["code"]) == (400, "referenced_by_others")
    assert "web-0" in answer.json()["detail"]
    assert "2 more" in answer.json()["detail"] or "web-4" in answer.json()["detail"]
    assert as_admin.get(f"/api/v1/assets/platforms/{platform['id']}/").status_code == 200


# --- selections ---

CACHE = "/api/v1/common/resources/cache/"


@pytest.mark.spec("S7-007", "S7-008")
def test_selection_takes_ids_and_returns_a_token(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    answer = as_org_admin.post(CACHE, {"resources": [str(groups[0].pk), str(groups[2].pk)]})
    assert (answer.status_code, set(answer.json())) == (200, {"spm"})
    assert [row["name"] for row in as_org_admin.get(URL, {"spm": answer.json()["spm"]}).json()] == ["alpha", "gamma"]
    empty = as_org_admin.post(CACHE, {"resources": []}).json()["spm"]
    assert as_org_admin.get(URL, {"spm": empty}).json() == []
    # A list of nothing is harmless. A write or a file of nothing would seem to be what was asked for.
    assert as_org_admin.get(URL, {"spm": "expired"}).json() == []
    for lapsed in (
        as_org_admin.delete(f"{URL}?spm=expired"),
        as_org_admin.get(URL, {"spm": "expired", "format": "csv"}),
    ):
        assert (lapsed.status_code, lapsed.json()["code"]) == (400, "selection_required")
    assert as_org_admin.delete(f"{URL}?spm={empty}").status_code == 204


@pytest.mark.parametrize("resources", [None, "text", {"a": 1}, [None], [["x"]], [{"id": 1}], [True], ["1"] * 100_001])
def test_selection_of_anything_but_ids_is_an_error_of_the_field(as_org_admin: APIClient, resources: Any) -> None:
    answer = as_org_admin.post(CACHE, {"resources": resources})
    assert (answer.status_code, set(answer.json())) == (400, {"resources"})


def test_k67_selection_expires_after_five_minutes(
    as_org_admin: APIClient, groups: list[UserGroup], monkeypatch: pytest.MonkeyPatch
) -> None:
    selected: list[int] = []
    monkeypatch.setattr(
        "postern.foundation.rest.selections.cache.set", lambda _key, _ids, seconds: selected.append(seconds)
    )
    as_org_admin.post(CACHE, {"resources": [str(groups[0].pk)]})
    assert selected == [300]
