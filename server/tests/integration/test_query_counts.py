"""The number of queries of each list: the same for one row as for many, and equal to a reviewed number."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.lists import list_routes
from factories.payloads import make_all
from postern.apps.users.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("secrets_need_no_code")]


LISTS = [route.path for route in list_routes() if "<" not in route.path]
TABLE = Path(__file__).with_name("query_counts.tsv")
#: `status` is the status of the list: 403 without a licence, 404 where a session must be named.
HEAD = ("path", "status", "list", "options", "detail")


def _cost(call: Callable[[], Any]) -> tuple[int, Any]:
    """The number of queries of a call, and its answer. The call is made twice, so that caches between requests are
    warm.
    """
    call()
    with CaptureQueriesContext(connection) as queries:
        answer = call()
    return len(queries), answer


def _costs(client: APIClient, path: str) -> dict[str, str]:
    # no page is full: a full one takes another query, which counts the rows
    count, answer = _cost(lambda: client.get(path, {"limit": "500", "offset": "0", "draw": "1", "display": "1"}))
    options, _answer = _cost(lambda: client.options(f"{path}?draw=1&display=1"))
    body = answer.json()
    rows = body.get("results", []) if isinstance(body, dict) else body
    detail = "-"
    if rows and "id" in rows[0]:
        number, single = _cost(lambda: client.get(f"{path}{rows[0]['id']}/"))
        detail = str(number) if single.status_code == 200 else "-"
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


def test_lists_take_no_query_for_each_row(client: APIClient) -> None:
    def costs() -> dict[str, int]:
        return {path: int(_costs(client, path)["list"]) for path in LISTS}

    make_all(client, 1)
    few = costs()
    for number in range(2, 7):
        make_all(client, number)
    many = costs()
    assert {path: (few[path], many[path]) for path in LISTS if many[path] > few[path]} == {}


def test_every_list_costs_the_queries_that_it_is_known_to_cost(client: APIClient) -> None:
    """List, OPTIONS and one object of each resource, with rows in it.

    After a deliberate change, run `POSTERN_WRITE_MATRIX=1 pytest tests/integration/test_query_counts.py`, then read the
    difference line by line.
    """
    for number in (1, 2):
        make_all(client, number)
    costs = [_costs(client, path) for path in LISTS]
    if os.environ.get("POSTERN_WRITE_MATRIX"):
        lines = ["\t".join(HEAD), *("\t".join(row[name] for name in HEAD) for row in costs)]
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    known = [
        dict(zip(HEAD, line.split("\t"), strict=True)) for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]
    ]
    assert costs == known, (
        "after a deliberate change: POSTERN_WRITE_MATRIX=1, then read the difference of query_counts.tsv"
    )
