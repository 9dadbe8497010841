"""What lists cost in queries: the same for one row as for many, and for each a number that is known and reviewed."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from endpoints import PASSWORD, path_of
from postern.apps.users.models import User
from postern.foundation.checks import view_of, walk
from postern.foundation.rest.viewsets import RowsViewSet

pytestmark = pytest.mark.django_db


def _payloads(number: int) -> dict[str, dict[str, Any]]:
    """What makes the object with this number of each kind; `{…}` names the id of one made just before."""
    return {
        "/api/v1/users/groups/": {"name": f"group {number}"},
        "/api/v1/users/users/": {
            "name": f"User {number}",
            "username": f"user{number}",
            "email": f"user{number}@example.test",
            "groups": ["{/api/v1/users/groups/}"],
        },
        "/api/v1/assets/labels/": {"name": "number", "value": str(number)},
        "/api/v1/assets/assets/": {
            "hostname": f"web-{number}",
            "ip": f"203.0.113.{number}",
            "platform": "Linux",
            "protocols": ["ssh/22"],
            "labels": ["{/api/v1/assets/labels/}"],
        },
        "/api/v1/assets/nodes/": {"value": f"node {number}"},
        "/api/v1/assets/system-users/": {
            "name": f"root {number}",
            "username": "root",
            "protocol": "ssh",
            "password": PASSWORD,
        },
        "/api/v1/perms/asset-permissions/": {
            "name": f"permission {number}",
            "users": ["{/api/v1/users/users/}"],
            "user_groups": ["{/api/v1/users/groups/}"],
            "assets": ["{/api/v1/assets/assets/}"],
            "nodes": ["{/api/v1/assets/nodes/}"],
            "system_users": ["{/api/v1/assets/system-users/}"],
            "actions": ["all"],
        },
    }


def _make(client: APIClient, number: int) -> None:
    ids: dict[str, str] = {}
    for path, payload in _payloads(number).items():
        filled = {
            name: [ids[one[1:-1]] if one.startswith("{") else one for one in value]
            if isinstance(value, list)
            else value
            for name, value in payload.items()
        }
        answer = client.post(path, filled)
        assert answer.status_code == 201, (path, answer.json())
        ids[path] = answer.json()["id"]


def _lists() -> list[str]:
    """Every list of the product, found by its route."""
    found = set()
    for route, pattern in walk():
        actions: dict[str, str] = getattr(pattern.callback, "actions", None) or {}
        if actions.get("get") == "list" and isinstance(view_of(pattern), RowsViewSet):
            found.add(path_of(route))
    return sorted(path for path in found if "<" not in path)


LISTS = _lists()
TABLE = Path(__file__).with_name("query_counts.tsv")
#: `status` is that of the list: 403 without a licence, 404 where a session must be named.
HEAD = ("path", "status", "list", "options", "detail")


def _cost(call: Callable[[], Any]) -> tuple[int, Any]:
    """Queries of a call, and its answer. The call is made twice: what is kept between requests is there already."""
    call()
    with CaptureQueriesContext(connection) as queries:
        answer = call()
    return len(queries), answer


def _costs(client: APIClient, path: str) -> dict[str, str]:
    count, answer = _cost(lambda: client.get(path, {"limit": "50", "offset": "0", "draw": "1", "display": "1"}))
    options, _answer = _cost(lambda: client.options(f"{path}?draw=1&display=1"))
    body = answer.json()
    rows = body.get("results", []) if isinstance(body, dict) else body
    detail = "-"
    if rows and "id" in rows[0]:
        number, one = _cost(lambda: client.get(f"{path}{rows[0]['id']}/"))
        detail = str(number) if one.status_code == 200 else "-"
    return {
        "path": path,
        "status": str(answer.status_code),
        "list": str(count),
        "options": str(options),
        "detail": detail,
    }


@pytest.fixture
def client(people: dict[str, User], client_of: Callable[[User | None], APIClient]) -> APIClient:
    return client_of(people["admin"])


def test_lists_cost_no_query_for_each_row(client: APIClient) -> None:
    def costs() -> dict[str, int]:
        return {path: int(_costs(client, path)["list"]) for path in LISTS}

    _make(client, 1)
    few = costs()
    for number in range(2, 7):
        _make(client, number)
    many = costs()
    assert {path: (few[path], many[path]) for path in LISTS if many[path] > few[path]} == {}


def test_every_list_costs_the_queries_that_it_is_known_to_cost(client: APIClient) -> None:
    """List, OPTIONS and one object of each resource, with rows in it. After a deliberate change:

    `POSTERN_WRITE_MATRIX=1 pytest tests/integration/test_query_counts.py`, then read the difference line by line.
    """
    for number in (1, 2):
        _make(client, number)
    found = [_costs(client, path) for path in LISTS]
    if os.environ.get("POSTERN_WRITE_MATRIX"):
        lines = ["\t".join(HEAD), *("\t".join(row[name] for name in HEAD) for row in found)]
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    known = [
        dict(zip(HEAD, line.split("\t"), strict=True)) for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]
    ]
    assert found == known
