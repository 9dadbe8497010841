"""Unknown keys in a body are ignored for clients of the contract, and refused for clients that ask for it, as our
console does.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import RequestFactory
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.test import APIClient

from postern.apps.authn.login_acls.models import LoginAcl
from postern.apps.users.models import User, UserGroup
from postern.entrypoints import urls
from postern.foundation.rest.bodies import BodySerializer, is_strict

pytestmark = pytest.mark.django_db

GROUPS = "/api/v1/users/groups/"
ENGLISH = {"Accept-Language": "en"}
STRICT = {"Prefer": "handling=strict"}


@pytest.fixture
def admin(people: dict[str, User], client_of: Callable[[User | None], APIClient]) -> APIClient:
    return client_of(people["admin"])


def test_unknown_key_is_ignored_for_other_clients(as_org_admin: APIClient) -> None:
    assert as_org_admin.post(GROUPS, {"name": "Ops", "citty": "Bonn"}).status_code == 201


@pytest.mark.parametrize("method", ["post", "put", "patch"])
def test_unknown_key_is_refused_for_a_strict_client_and_nothing_is_written(
    as_org_admin: APIClient, method: str
) -> None:
    group = as_org_admin.post(GROUPS, {"name": "Ops"}).json()
    url = GROUPS if method == "post" else f"{GROUPS}{group['id']}/"
    answer = getattr(as_org_admin, method)(url, {"name": "Other", "citty": "Bonn"}, headers=STRICT)
    assert (answer.status_code, set(answer.json())) == (400, {"citty"})
    assert list(UserGroup.objects.values_list("name", flat=True)) == ["Ops"]


def test_unknown_key_in_an_array_is_reported_at_the_position_of_its_item(as_org_admin: APIClient) -> None:
    answer = as_org_admin.post(GROUPS, [{"name": "Ops"}, {"name": "Dev", "citty": "Bonn"}], headers=STRICT)
    assert (answer.status_code, [set(item) for item in answer.json()]) == (400, [set(), {"citty"}])
    assert not UserGroup.objects.exists()


def test_read_only_fields_may_be_sent_back(as_org_admin: APIClient) -> None:
    group = as_org_admin.post(GROUPS, {"name": "Ops"}, headers=STRICT).json()
    assert as_org_admin.put(f"{GROUPS}{group['id']}/", {**group, "name": "Dev"}, headers=STRICT).status_code == 200
    array = [{"id": group["id"], "name": "Net"}]
    assert as_org_admin.patch(GROUPS, array, headers=STRICT).status_code == 200


@pytest.mark.parametrize(
    ("prefer", "strict"),
    [
        ("handling=strict", True),
        ('respond-async, Handling = "strict"', True),
        ("respond-async; x=1, handling=strict; y", True),
        ("handling=lenient", False),
        ("handling=stricter", False),
        ("", False),
    ],
)
def test_preference_is_parsed_as_in_rfc_7240(prefer: str, *, strict: bool) -> None:
    assert is_strict(Request(RequestFactory().post("/", headers={"Prefer": prefer}))) is strict


def _kinds(kind: type[Any]) -> set[type[Any]]:
    return {kind, *(deeper for subclass in kind.__subclasses__() for deeper in _kinds(subclass))}


def test_every_writable_serializer_can_be_strict() -> None:
    assert urls.urlpatterns  # importing the URLs has loaded all views and their serializers
    lenient = {
        kind.__name__
        for kind in _kinds(serializers.Serializer) - _kinds(BodySerializer)
        if kind.__module__.startswith("postern.apps.")
        and any(not field.read_only for field in kind._declared_fields.values())
    }
    assert lenient == set()


@pytest.mark.parametrize(
    ("path", "body", "where"),
    [
        ("acls/login-acls/", {"hours": [{"days": [1], "start": "8:00", "ends": "9:00"}]}, ["hours", "0", "ends"]),
        ("assets/platforms/", {"name": "W", "base": "Windows", "meta": {"securty": "nla"}}, ["meta", "securty"]),
        (
            "applications/applications/",
            {"name": "D", "category": "db", "type": "mysql", "attrs": {"host": "10.0.0.7", "prot": 3306}},
            ["attrs", "prot"],
        ),
    ],
)
def test_unknown_key_inside_an_object_is_refused_for_every_client(
    admin: APIClient, path: str, body: dict[str, Any], where: list[str]
) -> None:
    answer = admin.post(f"/api/v1/{path}", body, format="json", headers=ENGLISH)
    errors = answer.json()
    for part in where:
        errors = errors[part]
    assert (answer.status_code, errors) == (400, ["This field does not exist."])


@pytest.mark.parametrize("key", ["rules", "ip_groups"])
def test_login_acl_refuses_unknown_keys_from_every_client(admin: APIClient, people: dict[str, User], key: str) -> None:
    body = {"name": "Office", "user": str(people["user"].pk), "action": "allow", key: ["10.0.0.0/8"]}
    answer = admin.post("/api/v1/acls/login-acls/", body, format="json", headers=ENGLISH)
    assert (answer.status_code, answer.json()) == (400, {key: ["This field does not exist."]})
    assert not LoginAcl.objects.exists()
