"""No list reads more of the database because its table has grown: what a page costs depends on the page.

Measured in instructions of SQLite's machine, which no load of the computer changes, with ten times the rows.
"""

from collections.abc import Callable
from typing import Any, Final

import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories.lists import FilledLists, ListRoute, counted_steps, list_routes, named_ids
from postern.apps.audits.api import newest
from postern.apps.users.models import User
from postern.foundation.rest import memo, pagination

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="counts instructions of SQLite's machine"),
]

_FEW: Final = 300
_MANY: Final = 3_000
#: Rows are counted so far here: less than the few.
_COUNTED: Final = 50
#: How much more a page may cost with ten times the rows: a step more in each index.
_TOLERANCE: Final = 1.3
#: Lists whose page reads more rows when their table grows, and why.
_GROWS: Final = {
    "/api/v1/assets/nodes/": "the order is that of whole paths, which are longer than PostgreSQL indexes",
    "/api/v1/orgs/orgs/": "each organization shows how much it has of everything",
    "/api/v1/users/member-invitations/": "open invitations of all organizations are looked through",
    **dict.fromkeys(
        (
            "/api/v1/perms/user-groups/<group_id>/assets/",
            "/api/v1/perms/user-groups/<group_id>/nodes/<node_id>/assets/",
            "/api/v1/perms/users/<user_id>/assets/",
            "/api/v1/perms/users/<user_id>/assets/tree/",
            "/api/v1/perms/users/<user_id>/nodes/<node_id>/assets/",
            "/api/v1/perms/users/assets/",
            "/api/v1/perms/users/assets/tree/",
            "/api/v1/perms/users/nodes/<node_id>/assets/",
        ),
        "the assets in reach are composed from the permissions, then put in order",
    ),
}
#: Lists that show the administrator of this test nothing, however many rows there are.
_EMPTY: Final = {
    "/api/v1/orgs/orgs/<org_id>/membership/admins/",  # everybody who is made is an ordinary member
    "/api/v1/users/member-invitations/",  # nobody is invited elsewhere
    "/api/v1/users/profile/invitations/",
    "/api/v1/xpack/orgs/",  # needs a licence
}


def _cost(client: APIClient, route: ListRoute, ids: dict[str, str]) -> tuple[int, int]:
    """Instructions for the first page, and its rows. The call is made twice: what is compiled once is there already."""
    url, query = route.url(ids), route.query()
    client.get(url, query)
    memo.forget_all()
    with counted_steps() as steps:
        answer = client.get(url, query).json()
    rows: list[Any] = answer.get("results", []) if isinstance(answer, dict) else answer
    return steps.count, len(rows)


def test_no_page_reads_more_rows_when_its_table_grows(
    people: dict[str, User], client_of: Callable[[User | None], APIClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (pagination, newest):
        monkeypatch.setattr(module, "COUNTED", _COUNTED)
    admin = people["admin"]
    client, tables, routes = client_of(admin), FilledLists(admin), list_routes()
    costs: dict[str, list[int]] = {route.path: [] for route in routes}
    empty = set()
    for size in (_FEW, _MANY):
        tables.fill({}, size)
        ids = named_ids(admin)
        for route in routes:
            steps, rows = _cost(client, route, ids)
            costs[route.path].append(steps)
            if rows < 15:
                empty.add(route.path)
    assert empty == _EMPTY
    grown = {path for path, (few, many) in costs.items() if many > few * _TOLERANCE}
    assert {path: costs[path] for path in grown - set(_GROWS)} == {}
    assert set(_GROWS) - grown == set(), "these lists no longer grow with their tables"
