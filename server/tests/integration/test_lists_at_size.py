"""The cost of a page does not grow with its table.

The cost is measured in SQLite VM instructions, which do not depend on the load of the machine, and compared with a
table of ten times the size.
"""

from collections.abc import Callable
from typing import Any, Final

import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories.lists import COUNTED_STEP, FilledLists, ListRoute, counted_steps, list_routes, named_ids
from factories.many_rows import ManyRows
from postern.apps.audits.api import newest
from postern.apps.perms.granted.api import pages as granted_pages
from postern.apps.sessions.models import Session
from postern.apps.users.models import User
from postern.foundation.rest import filters, memo, pagination

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("secrets_need_no_code")]
counts_instructions = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="counts instructions of SQLite's machine"
)

_FEW: Final = 300
_MANY: Final = 3_000
#: The bound of row counts in these tests; smaller than the smaller table.
_COUNTED: Final = 50
#: The offset of a page that ends beyond the counted rows.
_DEEP: Final = 40
#: The rows of such a page have more relations to read when the table is larger.
_TOLERANCE_BELOW: Final = 2.5
#: The same for rows that name the objects of four relations: in the small table few of them have any, in the large one
#: all have five of each.
_TOLERANCE_OF_NAMES: Final = dict.fromkeys(
    ("/api/v1/perms/application-permissions/", "/api/v1/perms/reviews/application-permissions/"), 5.0
)
#: Instructions that a search without results may take for each row of its table, with its part of related tables.
#: A join and a comparison for each row take 50 and more.
_PER_ROW: Final = 30
#: The same in a log, whose oldest searched row depends on how full its partitions are.
_TOLERANCE_OF_BORDER: Final = 1.5
#: Allowed growth of the cost with ten times the rows: one more level in each index.
_TOLERANCE: Final = 1.3
#: The same for lists that skip the rows of remote apps, because there is no licence. The rows come in the order of their
#: random ids, so how many of them are skipped before a page is full differs.
_TOLERANCE_OF_SKIPPED: Final = {
    f"/api/v1/perms/application-permissions-{kind}-relations/": 2.0
    for kind in ("users", "user-groups", "system-users", "applications")
}
#: Instructions by which two counts of the same work differ, because each statement is counted in steps.
_UNCOUNTED: Final = 3 * COUNTED_STEP
#: Lists whose page reads more rows when their table grows, with the reason.
_GROWS: Final = {
    "/api/v1/authentication/openid-providers/": "an installation has at most twenty",
    "/api/v1/authentication/saml-providers/": "as above",
    "/api/v1/assets/entered-credentials/": "all rows of this test are one person's; nobody's are kept above six minutes",
    "/api/v1/users/member-invitations/": "open invitations of all organizations are looked through",
    **dict.fromkeys(
        ("/api/v1/perms/users/<user_id>/assets/tree/", "/api/v1/perms/users/assets/tree/"),
        "a tree without pages: the answer holds every asset in reach, up to 10,000",
    ),
    **dict.fromkeys(
        ("/api/v1/perms/users/<user_id>/applications/tree/", "/api/v1/perms/users/applications/tree/"),
        "a tree without pages: the answer holds every application in reach, up to 10,000",
    ),
}
#: Lists that are empty for the administrator of this test, however many rows there are.
_EMPTY: Final = {
    "/api/v1/acls/login-acls/",  # the rules are spread: a person has five, and never above 100
    "/api/v1/authentication/service-account-keys/",  # all made keys are those of people
    "/api/v1/authentication/trusted-browsers/",  # nobody is trusted while the days of the settings are 0
    "/api/v1/assets/entered-credentials/",  # the caller's own, and each is stored for six minutes
    "/api/v1/ops/adhoc-executions/<execution_pk>/hosts/",  # the hosts are spread: an execution has five
    "/api/v1/ops/command-executions/<execution_pk>/hosts/",  # as above
    "/api/v1/assets/cmd-filters/<filter_pk>/rules/",  # the rules are spread: a filter has five, and never above 100
    "/api/v1/assets/system-users/<system_user_id>/cmd-filter-rules/",  # no filter is tied to a system user
    "/api/v1/orgs/orgs/<org_id>/membership/admins/",  # all made members are ordinary members
    "/api/v1/users/member-invitations/",  # no invitations to other organizations are made
    "/api/v1/users/profile/invitations/",
    "/api/v1/xpack/orgs/",  # needs a licence
}


def _cost(client: APIClient, route: ListRoute, ids: dict[str, str], offset: int = 0, **more: str) -> tuple[int, int]:
    """Instructions for a page, and its number of rows.

    The first page is read twice, so that caches of compiled code are warm.
    """
    url, query = route.url(ids), route.query(offset, ids=ids, **more)
    if not offset and not more:
        client.get(url, query)
    memo.forget_all()
    with counted_steps() as steps:
        answer = client.get(url, query).json()
    rows: list[Any] = answer.get("results", []) if isinstance(answer, dict) else answer
    return steps.count, len(rows)


@counts_instructions
def test_page_reads_no_more_rows_when_its_table_grows(
    people: dict[str, User], client_of: Callable[[User | None], APIClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in ((pagination, "COUNTED"), (pagination, "COUNTED_ACROSS")):
        monkeypatch.setattr(module, name, _COUNTED)
    # the last page of the audit log that can be requested
    monkeypatch.setattr(newest, "COUNTED", _DEEP + 15)
    monkeypatch.setattr(filters, "SEARCHED", _COUNTED)
    monkeypatch.setattr(granted_pages, "_BESIDES", _COUNTED)
    admin = people["admin"]
    client, tables, routes = client_of(admin), FilledLists(admin), list_routes()
    costs: dict[str, list[int]] = {route.path: [] for route in routes}
    deep: dict[str, list[int]] = {route.path: [] for route in routes}
    searches: dict[str, list[int]] = {route.path: [] for route in routes if route.view.search_fields}
    logs = {route.path for route in routes if route.view.date_range_field}
    empty = set()
    for size in (_FEW, _MANY):
        tables.fill({}, size)
        ids = named_ids(admin)
        for route in routes:
            steps, rows = _cost(client, route, ids)
            costs[route.path].append(steps)
            steps_below, rows_below = _cost(client, route, ids, _DEEP)
            if rows_below == 15:  # some lists have few rows of the small table, and the page is behind their end
                deep[route.path].append(steps_below)
            if route.path in searches:
                searches[route.path].append(_cost(client, route, ids, search="nowhere-at-all")[0])
            if rows < 15:
                empty.add(route.path)
    assert empty == _EMPTY
    grown = {
        path
        for path, (few, many) in costs.items()
        if many > few * _TOLERANCE_OF_SKIPPED.get(path, _TOLERANCE) + _UNCOUNTED
    }
    assert {path: costs[path] for path in grown - set(_GROWS)} == {}
    assert set(_GROWS) - grown == set(), "these lists no longer grow with their tables"
    grown_below = {
        path
        for path, steps_of in deep.items()
        if steps_of and max(steps_of) > steps_of[0] * _TOLERANCE_OF_NAMES.get(path, _TOLERANCE_BELOW)
    }
    assert {path: deep[path] for path in grown_below - set(_GROWS)} == {}
    for path, (few, many) in searches.items():
        if path in logs:
            assert many <= few * _TOLERANCE_OF_BORDER, path
        elif not path.endswith("/tree/"):
            assert many <= _PER_ROW * _MANY, path


@counts_instructions
def test_list_of_proxies_does_not_read_the_sessions_that_ended(
    people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    admin = people["admin"]
    client, rows = client_of(admin), ManyRows(admin)
    (proxies,) = [route for route in list_routes() if route.path == "/api/v1/terminal/terminals/"]
    metrics = "/api/v1/terminal/components/metrics/"
    costs: list[list[int]] = []
    for sessions in (_FEW, _MANY):
        rows.fill(Session, sessions)
        steps, shown = _cost(client, proxies, {})
        assert shown == 15
        with counted_steps() as counted:
            assert client.get(metrics).json()[0]["session_active"] == 0
        costs.append([steps, counted.count])
    few, many = costs
    assert all(after <= before * _TOLERANCE for before, after in zip(few, many, strict=True)), costs


def test_every_list_answers_with_rows_in_its_table(
    people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    admin = people["admin"]
    client, tables = client_of(admin), FilledLists(admin)
    tables.fill({}, 2 * _COUNTED)
    ids = named_ids(admin)
    pages: tuple[dict[str, str], ...] = ({}, {"offset": "75"}, {"search": "nowhere-at-all"}, {"search": "a 0"})
    answers = {
        (route.path, client.get(route.url(ids), {**route.query(ids=ids), **page}).status_code)
        for route in list_routes()
        for page in pages
    }
    assert {(path, status) for path, status in answers if status != 200} == {
        ("/api/v1/xpack/orgs/", 403)  # needs a licence
    }
