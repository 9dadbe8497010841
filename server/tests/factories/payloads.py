"""Request bodies that create one object of each main resource through the API."""

from typing import TYPE_CHECKING, Any, Final

from declarations import PLAIN

if TYPE_CHECKING:  # benchmarks use the bodies without Django
    from rest_framework.test import APIClient

PASSWORD: Final = "plum orbit cactus 41"


def payloads(number: int) -> dict[str, dict[str, Any]]:
    """Body by list path for the objects with this number. `{path}` stands for the id of the object created at that path
    before.
    """
    return {
        "/api/v1/users/groups/": {"name": f"group {number}"},
        "/api/v1/users/users/": {
            "name": f"User {number}",
            "username": f"user{number}",
            "email": f"user{number}@example.test",
            "groups": ["{/api/v1/users/groups/}"],
        },
        **_plain(number, listed=False),
        "/api/v1/assets/domains/": {"name": f"domain {number}"},
        "/api/v1/assets/gateways/": {
            "name": f"gateway {number}",
            "ip": f"198.51.100.{number % 256}",
            "username": "forward",
            "password": PASSWORD,
            "domain": "{/api/v1/assets/domains/}",
        },
        "/api/v1/assets/assets/": {
            "hostname": f"web-{number}",
            "ip": f"203.0.113.{number % 256}",
            "platform": "Linux",
            "protocols": ["ssh/22"],
            "labels": ["{/api/v1/assets/labels/}"],
            "domain": "{/api/v1/assets/domains/}",
        },
        "/api/v1/assets/nodes/": {"value": f"node {number}"},
        "/api/v1/assets/system-users/": {
            "name": f"root {number}",
            "username": "root",
            "protocol": "ssh",
            "password": PASSWORD,
        },
        "/api/v1/assets/accounts/": {
            "username": f"own-{number}",
            "asset": "{/api/v1/assets/assets/}",
            "systemuser": None,
            "password": PASSWORD,
        },
        "/api/v1/terminal/replay-storages/": {
            "name": f"storage {number}",
            "type": "ceph",
            "meta": {
                "BUCKET": "recordings",
                "ACCESS_KEY": "AKIDEXAMPLE",
                "SECRET_KEY": PASSWORD.replace(" ", "-"),
                "ENDPOINT": f"https://198.51.100.{number % 256}",
            },
        },
        "/api/v1/notifications/webhooks/": {
            "name": f"webhook {number}",
            "address": f"https://198.51.100.{number % 256}/hook",
            "audit_categories": ["refusals"],
        },
        "/api/v1/applications/applications/": {
            "name": f"database {number}",
            "category": "db",
            "type": "mysql",
            "attrs": {"host": f"198.51.100.{number % 256}", "database": "orders"},
            "domain": "{/api/v1/assets/domains/}",
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
        **_plain(number, listed=True),
    }


def _plain(number: int, *, listed: bool) -> dict[str, dict[str, Any]]:
    return {resource.url: resource.payload(number) for resource in PLAIN if resource.listed is listed}


def filled(payload: dict[str, Any], ids: dict[str, str]) -> dict[str, Any]:
    """The body with its `{path}` values replaced by the ids of the created objects."""
    return {
        name: [_filled(element, ids) for element in value] if isinstance(value, list) else _filled(value, ids)
        for name, value in payload.items()
    }


def _filled(value: Any, ids: dict[str, str]) -> Any:
    return ids[value[1:-1]] if isinstance(value, str) and value.startswith("{") else value


def make_all(client: "APIClient", number: int) -> dict[str, str]:
    """Create the objects with this number; returns their ids by path."""
    ids: dict[str, str] = {}
    for path, payload in payloads(number).items():
        answer = client.post(path, filled(payload, ids))
        assert answer.status_code == 201, (path, answer.json())
        ids[path] = answer.json()["id"]
    return ids
