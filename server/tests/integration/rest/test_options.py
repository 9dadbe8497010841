"""The answer to OPTIONS for each role, language and object. It is cached, and never shown to the wrong user."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from endpoints import HTTP, ROLES
from postern.apps.users.models import User
from postern.foundation.rest import memo
from postern.foundation.rest.metadata import ContractMetadata
from postern.kernel.ids import DEFAULT_ORG_ID, new_id

pytestmark = pytest.mark.django_db

USERS, GROUPS, ASSETS = "/api/v1/users/users/", "/api/v1/users/groups/", "/api/v1/assets/assets/"
TYPES = {
    "string", "email", "url", "regex", "slug", "integer", "float", "decimal", "boolean", "choice", "multiple choice", "date",
    "datetime", "time", "list", "nested object", "file upload", "image upload", "field",
}  # fmt: skip
KEYS = {
    "type", "required", "read_only", "write_only", "label", "help_text", "default", "min_length", "max_length", "min_value",
    "max_value", "choices", "child", "children", "filter", "order",
}  # fmt: skip
PATHS = sorted(
    {
        endpoint.path
        for endpoint in HTTP
        if endpoint.method == "GET" and "<" not in endpoint.path and endpoint.right != "page"
    }
)


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    memo.forget_all()
    yield
    memo.forget_all()


def _all_fields(fields: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, field in fields.items():
        yield name, field
        yield from _all_fields(field.get("children", {}))
        if "child" in field:
            yield from _all_fields({f"{name}[]": field["child"]})


@pytest.mark.spec("S7-009", "S7-010", "S7-011", "S7-012")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.any_database
def test_every_field_of_every_list_is_described_as_agreed(
    path: str, people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    answer = client_of(people["admin"]).options(f"{path}?draw=1&display=1")
    assert answer.status_code in {200, 401, 403}
    actions = answer.json().get("actions", {})
    assert set(actions) <= {"GET", "POST", "PUT", "PATCH"}
    for method, fields in actions.items():
        for name, field in _all_fields(fields):
            assert field["type"] in TYPES, (method, name)
            assert set(field) <= KEYS, (method, name)
            for flag in ("required", "read_only", "write_only"):
                assert isinstance(field[flag], bool), (method, name)
            assert not (field["read_only"] and field["required"]), (method, name)
            assert isinstance(field.get("default", ""), str | int | bool | list), (method, name)
            assert ("choices" in field) == (field["type"] in {"choice", "multiple choice"}), (method, name)
            for choice in field.get("choices", ()):
                assert set(choice) == {"value", "display_name"}
            if method != "GET":
                assert not {"filter", "order"} & set(field), (method, name)


@pytest.mark.spec("S7-012")
def test_defaults_children_and_bounds_are_described(as_org_admin: APIClient) -> None:
    fields = as_org_admin.options(ASSETS).json()["actions"]["POST"]
    assert fields["is_active"]["default"] is True
    assert fields["protocols"]["default"] == ["ssh/22"]
    assert fields["protocols"]["child"]["type"] == "regex"
    assert [fields[name]["type"] for name in ("platform", "nodes", "labels", "admin_user")] == ["field"] * 4
    assert (fields["port"]["min_value"], fields["port"]["max_value"]) == (1, 65535)
    assert (fields["port"]["write_only"], fields["hardware_info"]["read_only"]) == (True, True)
    meta = as_org_admin.options("/api/v1/assets/platforms/").json()["actions"]["GET"]["meta"]
    assert meta["type"] == "nested object"
    assert {"security", "console"} == set(meta["children"])


def test_cached_answer_equals_the_computed_answer(
    people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    """For each role and both languages, the first answer, the cached answer and an answer without a cache are equal."""
    for language in ("zh-hans", "en"):
        for role in ROLES:
            client = client_of(people.get(role))
            client.cookies["django_language"] = language
            for path in (USERS, GROUPS, ASSETS, f"{USERS}{people['user'].pk}/", f"{GROUPS}{new_id()}/"):
                first, cached = client.options(path), client.options(path)
                memo.forget_all()
                fresh = client.options(path)
                assert first.content == cached.content == fresh.content, (role, language, path)
                assert first.status_code == cached.status_code == fresh.status_code


def test_cached_answer_is_not_computed_again(as_org_admin: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert as_org_admin.options(f"{ASSETS}?draw=1&display=1").status_code == 200

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("the fields were described a second time")

    monkeypatch.setattr(ContractMetadata, "get_serializer_info", fail)
    with CaptureQueriesContext(connection) as queries:
        assert as_org_admin.options(f"{ASSETS}?draw=1&display=1").status_code == 200
    assert [query["sql"] for query in queries if "assets_asset" in query["sql"]] == []


def test_k24_cached_answer_of_one_role_is_not_shown_to_another(
    people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    """In each order of requests, every role sees what it may do, and system administrators can choose more roles."""

    def seen(role: str) -> tuple[int, tuple[str, ...], tuple[Any, ...]]:
        answer = client_of(people.get(role)).options(USERS)
        actions = answer.json().get("actions", {})
        choices = tuple(choice["value"] for choice in actions.get("POST", {}).get("role", {}).get("choices", ()))
        return answer.status_code, tuple(actions), choices

    once = {}
    for role in ROLES:
        memo.forget_all()
        once[role] = seen(role)
    assert once["admin"][2] != once["org_admin"][2]
    assert once["org_admin"][1] == ("GET", "POST", "PUT", "PATCH")
    assert (once["user"][0], once["anonymous"][0]) == (403, 401)
    memo.forget_all()
    for role in (*ROLES, *reversed(ROLES)):
        assert seen(role) == once[role], role


def test_k24_withdrawn_right_is_gone_from_the_answer_at_once(
    make_user: Callable[..., User], client_of: Callable[[User | None], APIClient]
) -> None:
    user = make_user("olga", org_role="Admin")
    client = client_of(user)
    assert "POST" in client.options(GROUPS).json()["actions"]
    user.memberships.filter(org_id=DEFAULT_ORG_ID).update(role="Auditor")
    assert client.options(GROUPS).status_code == 403
    user.memberships.filter(org_id=DEFAULT_ORG_ID).update(role="Admin")
    assert "POST" in client.options(GROUPS).json()["actions"]
    user.memberships.all().delete()
    assert client.options(GROUPS).status_code == 403


def test_deleted_object_offers_no_changes_although_the_answer_was_cached(as_org_admin: APIClient) -> None:
    made = as_org_admin.post(GROUPS, {"name": "short-lived"}).json()
    url = f"{GROUPS}{made['id']}/"
    assert set(as_org_admin.options(url).json()["actions"]) == {"GET", "PUT", "PATCH"}
    as_org_admin.delete(url)
    assert set(as_org_admin.options(url).json()["actions"]) == {"GET"}


@pytest.mark.parametrize("query", ["fields=name", "fields_size=mini", "fields!=name"])
def test_query_that_changes_the_fields_changes_the_description(as_org_admin: APIClient, query: str) -> None:
    whole = as_org_admin.options(GROUPS).json()["actions"]
    narrowed = as_org_admin.options(f"{GROUPS}?{query}").json()["actions"]
    assert set(narrowed["GET"]) < set(whole["GET"])
    assert as_org_admin.options(GROUPS).json()["actions"] == whole
