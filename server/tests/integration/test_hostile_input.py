"""Bad input to any endpoint gets a 4xx and never a 5xx, and no write works without proof of intent."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from declarations import PLAIN
from endpoints import HTTP, PASSWORD, SIGN_IN, Endpoint
from factories.payloads import filled
from postern.apps.users.models import User

API = [endpoint for endpoint in HTTP if endpoint.right not in {"page", "terminal", "bootstrap"}]
READS = [endpoint for endpoint in API if endpoint.method == "GET"]
WRITES = [endpoint for endpoint in API if endpoint.method != "GET"]

QUERIES = (
    "search=%00&order=%00&limit=%00&offset=-1",
    "search=%F0%28%8C%28&order=-&limit=&offset=",
    "search=%25%27%22%3B--&limit=1&offset=99999999999999999999",
    "ids=,,x,%00&spm=%00&fields=%00&fields!=a&fields_size=huge",
    "order=_connector,-_negated,id__in,pk,?&limit=1e9",
    "date_from=0000-00-00&date_to=99999-01-01T00:00:00Z",
    "date_from=2026-02-30T25:61:61%2B99:99&oid=default",
    "draw=1&display=1&action=%2e%2e&format=xml&template=import",
    "user=%00&asset=x&system_user=-1&protocol=%F0&name=%00&id=1e9&username=%ED%A0%80&is_active=maybe",
    "user=9f6c0e2a-0000-4000-8000-000000000000&asset=9f6c0e2a-0000-4000-8000-000000000000&node=x&key=%00&all=x",
    f"id={10**30}&limit={10**30}&offset=-{10**30}&platform={10**30}&port={2**63}&days={10**30}",
    "date_from=0001-01-01T00:00:00%2B14:00&date_to=9999-12-31T23:59:59-14:00",
    "date_from=0001-01-01&date_to=9999-12-31T23:59:60Z",
    "date_from=2026-01-01T24:00:00Z&date_to=9999-12-31T24:00:00",
    "date_from=10000-01-01&date_to=-0001-01-01T00:00:00Z&date_start=0001-01-01T00:00:00%2B14:00",
    "user=%ED%A0%80&name=%E2%80%AE&search=%ED%A0%80",
)
BODIES = (
    b"",
    b"null",
    b"[]",
    b"[[]]",
    b"[null, 1, {}]",
    b'"text"',
    b"123456789012345678901234567890",
    b'{"id": {"$gt": ""}, "pk": []}',
    b'[{"id": "x"}, {"id": null}, {"id": {}}, {"pk": [1]}]',
    b'{"name": "\\ud800", "username": "\\u0000"}',
    b"[" * 5_000 + b"]" * 5_000,
    b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    b"{",
    b"\xff\xfe",
    b"NaN",
    b'{"id": NaN, "name": Infinity, "days": -Infinity}',
    b'{"id": 1e999, "days": 1e999, "name": -1e999}',
    b'{"name": "a", "name": ["b"], "name": {"c": 1}}',
    b'{"\\u0000": "\\u0000", "\\ud800": 1, "name": "\\ud83d"}',
    b'[{"name": "a"}, {"name": "a"}, {"id": "\\u0000"}]',
    b"1" * 100_000,
    b'{"id": ' + b"9" * 10_000 + b"}",
)
#: Instants that a calendar, a time zone or a database cannot represent.
EDGES_OF_THE_CALENDAR = (
    "0000-00-00T00:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "0001-01-01T00:00:00",
    "9999-12-31T23:59:59-14:00",
    "9999-12-31T23:59:59.999999999Z",
    "2016-12-31T23:59:60Z",
    "2026-01-01T24:00:00Z",
    "2026-03-29T02:30:00+99:99",
    "10000-01-01T00:00:00Z",
    "0001/01/01 00:00:00 +1400",
    "9999/12/31 23:59:59 -1400",
    "\u0662\u0660\u0662\u0666-01-01T00:00:00Z",
)
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    "",
    "\x00",
    "x" * 70_000,
    "<script>alert(1)</script>",
    "' OR 1=1 --",
    [],
    [None],
    ["x", {}],
    [[]],
    {},
    {"a": {"b": []}},
    "9f6c0e2a-0000-4000-8000-000000000000",
    ["9f6c0e2a-0000-4000-8000-000000000000"],
    "2026-13-45",
    2**31,
    2**63,
    1e308,
    "\u202eadmin",
)


def _values(field: dict[str, Any]) -> tuple[Any, ...]:
    """The values for a field as OPTIONS describes it."""
    return (*VALUES, *EDGES_OF_THE_CALENDAR) if field["type"] in {"date", "datetime"} else VALUES


def _admin(people: dict[str, User], client_of: Callable[[User | None], APIClient]) -> APIClient:
    client = client_of(people["admin"])
    client.raise_request_exception = False
    return client


def _faults(statuses: dict[str, int]) -> dict[str, int]:
    return {label: status for label, status in statuses.items() if status >= 500 and status != 503}


@pytest.mark.django_db
@pytest.mark.parametrize("endpoint", READS, ids=lambda endpoint: endpoint.path)
def test_k22_no_query_causes_a_5xx(
    endpoint: Endpoint, people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    client = _admin(people, client_of)
    assert _faults({query: client.get(f"{endpoint.url}?{query}").status_code for query in QUERIES}) == {}


@pytest.mark.django_db
@pytest.mark.parametrize("endpoint", WRITES, ids=lambda endpoint: f"{endpoint.method} {endpoint.path}")
@pytest.mark.any_database
def test_no_body_causes_a_5xx(
    endpoint: Endpoint, people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    client = _admin(people, client_of)
    statuses = {
        repr(body[:60]): client.generic(
            endpoint.method, endpoint.url, body, content_type="application/json"
        ).status_code
        for body in BODIES
    }
    assert _faults(statuses) == {}


def _fields(client: APIClient, url: str, method: str) -> dict[str, Any]:
    answer = client.options(url)
    actions = answer.json().get("actions", {}) if answer.status_code == 200 else {}
    fields: dict[str, Any] = actions.get(method, {})
    return {name: field for name, field in fields.items() if not field["read_only"]}


#: Bodies that create an object of each kind. `{path}` stands for the id of the object created at that path before.
SAMPLES: dict[str, dict[str, Any]] = {
    "/api/v1/users/groups/": {"name": "group"},
    "/api/v1/users/users/": {
        "name": "Ann",
        "username": "ann",
        "email": "ann@example.test",
        "password_strategy": "custom",
        "password": PASSWORD,
    },
    "/api/v1/assets/assets/": {"hostname": "web", "ip": "203.0.113.7", "platform": "Linux", "protocols": ["ssh/22"]},
    "/api/v1/assets/nodes/": {"value": "node"},
    "/api/v1/assets/system-users/": {"name": "root", "username": "root", "protocol": "mysql", "password": "p-1"},
    "/api/v1/assets/domains/": {"name": "zone"},
    "/api/v1/assets/gateways/": {
        "name": "gate",
        "ip": "203.0.113.8",
        "username": "forward",
        "password": "p-1",
        "domain": "{/api/v1/assets/domains/}",
    },
    "/api/v1/assets/accounts/": {
        "username": "own",
        "asset": "{/api/v1/assets/assets/}",
        "systemuser": None,
        "password": "p-1",
    },
    "/api/v1/applications/applications/": {
        "name": "database",
        "category": "db",
        "type": "mysql",
        "attrs": {"host": "192.0.2.20", "database": "orders"},
    },
    "/api/v1/perms/application-permissions/": {
        "name": "permission",
        "category": "db",
        "type": "mysql",
        "users": ["{/api/v1/users/users/}"],
        "applications": ["{/api/v1/applications/applications/}"],
        "system_users": ["{/api/v1/assets/system-users/}"],
    },
    "/api/v1/perms/asset-permissions/": {
        "name": "permission",
        "users": ["{/api/v1/users/users/}"],
        "assets": ["{/api/v1/assets/assets/}"],
        "system_users": ["{/api/v1/assets/system-users/}"],
        "actions": ["all"],
    },
    **{resource.url: dict(resource.values) for resource in PLAIN},
}


@pytest.fixture
def made(people: dict[str, User], client_of: Callable[[User | None], APIClient]) -> dict[str, str]:
    """The id of a new object of each kind, by the path of its list."""
    client, ids = client_of(people["admin"]), dict[str, str]()
    for path, payload in SAMPLES.items():
        body = filled(payload, ids)
        answer = client.post(path, body)
        assert answer.status_code == 201, (path, answer.json())
        ids[path] = answer.json()["id"]
    return ids


@pytest.mark.stricter_on_postgresql
@pytest.mark.django_db
@pytest.mark.parametrize("path", list(SAMPLES))
def test_no_value_in_any_field_causes_a_5xx(
    path: str, made: dict[str, str], people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    """Each writable field in turn gets each value, in an update and in an otherwise valid create."""
    client = _admin(people, client_of)
    url = f"{path}{made[path]}/"
    fields = _fields(client, url, "PATCH")
    assert fields
    statuses: dict[str, int] = {}
    for name, field in fields.items():
        for value in _values(field):
            body = json.dumps({name: value})
            answer = client.generic("PATCH", url, body, content_type="application/json")
            statuses[f"PATCH {name}={value!r:.40}"] = answer.status_code
            body = json.dumps({**SAMPLES[path], "name": "another", name: value})
            answer = client.generic("POST", path, body, content_type="application/json")
            statuses[f"POST {name}={value!r:.40}"] = answer.status_code
    assert _faults(statuses) == {}


@pytest.mark.django_db
def test_k64_cookie_write_without_csrf_token_is_refused(people: dict[str, User]) -> None:
    admin = people["admin"]
    admin.set_password(PASSWORD)
    admin.save()
    client = APIClient(enforce_csrf_checks=True)
    token = client.get(SIGN_IN) and client.cookies["csrftoken"].value
    signed_in = client.post(
        SIGN_IN, {"username": admin.username, "password": PASSWORD}, format="json", headers={"X-CSRFToken": token}
    )
    assert signed_in.status_code == 200
    assert client.get("/api/v1/users/profile/").status_code == 200
    let_in = []
    for endpoint in WRITES:
        if endpoint.right == "anyone":
            continue
        answer = client.generic(endpoint.method, endpoint.url, "{}", content_type="application/json")
        if answer.status_code != 403 or "CSRF" not in answer.json().get("detail", ""):
            let_in.append(f"{endpoint.method} {endpoint.path}: {answer.status_code}")
    assert let_in == []
