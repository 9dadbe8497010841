"""Lists cost the same number of queries for one row as for many: no query for each row."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from endpoints import PASSWORD
from postern.apps.users.models import User

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


LISTS = (
    *_payloads(0),
    "/api/v1/audits/operate-logs/",
    "/api/v1/audits/login-logs/",
    "/api/v1/perms/asset-permissions-users-relations/",
    "/api/v1/perms/asset-permissions-assets-relations/",
    "/api/v1/users/users-groups-relations/",
    "/api/v1/perms/users/assets/",
    "/api/v1/orgs/org-member-relation/",
    "/api/v1/orgs/orgs/",
    "/api/v1/notifications/site-message/",
)


def test_lists_cost_no_query_for_each_row(
    people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    client = client_of(people["admin"])

    def costs() -> dict[str, int]:
        found: dict[str, int] = {}
        for path in LISTS:
            with CaptureQueriesContext(connection) as queries:
                answer = client.get(path, {"limit": "50", "offset": "0"})
            assert answer.status_code == 200, path
            found[path] = len(queries)
        return found

    _make(client, 1)
    few = costs()
    for number in range(2, 7):
        _make(client, number)
    many = costs()
    assert {path: (few[path], many[path]) for path in LISTS if many[path] > few[path]} == {}
    assert {path: count for path, count in many.items() if count > 20} == {}
