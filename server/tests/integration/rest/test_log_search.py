"""A search in a log reads only the newest rows and says how far back it went. Date filters move the range
further back.
"""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.lists import FilledLists, ListRoute, list_routes
from postern.apps.users.models import User
from postern.foundation.rest import filters

pytestmark = pytest.mark.django_db

#: How many of the newest rows a search reads in these tests, and how many rows each log has.
_SEARCHED, _ROWS = 10, 40
_LOGS = {route.path: route for route in list_routes() if route.view.date_range_field and route.view.search_fields}


@pytest.fixture
def client(people: dict[str, User], client_of: Callable[[User | None], APIClient]) -> APIClient:
    return client_of(people["admin"])


@pytest.fixture(params=_LOGS, ids=lambda path: path)
def log(request: pytest.FixtureRequest, people: dict[str, User], monkeypatch: pytest.MonkeyPatch) -> ListRoute:
    route = _LOGS[request.param]
    FilledLists(people["admin"]).fill({route.model._meta.label: _ROWS}, 0)
    monkeypatch.setattr(filters, "SEARCHED", _SEARCHED)
    return route


def _instants(route: ListRoute) -> list[Any]:
    column = route.view.date_range_field
    return list(route.model.objects.order_by(f"-{column}").values_list(column, flat=True))


def _term(route: ListRoute) -> str:
    """A search term that every row contains."""
    column: str = route.view.search_fields[0]
    return column[:3] if column != "username" else "user"


def test_each_log_is_searched_in_its_newest_rows_and_says_so(client: APIClient, log: ListRoute) -> None:
    everything = client.get(log.path, log.query()).json()
    assert "searched_from" not in everything
    page = client.get(log.path, log.query(search=_term(log))).json()
    assert 0 < page["count"] <= _SEARCHED + 1 < everything["count"]
    assert filters.parse_instant(page["searched_from"]) in _instants(log)


def test_date_filters_move_the_search_further_back(client: APIClient, log: ListRoute) -> None:
    before = _instants(log)[_ROWS // 2]
    query = {"search": _term(log), "date_to": before.isoformat()}
    page = client.get(log.path, log.query(**query)).json()
    assert 0 < page["count"] <= _SEARCHED + 1
    assert filters.parse_instant(page["searched_from"]) < before


def test_search_that_reads_every_row_reports_no_limit(
    client: APIClient, log: ListRoute, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "SEARCHED", 10_000)
    page = client.get(log.path, log.query(search=_term(log))).json()
    assert page["count"] > _SEARCHED + 1
    assert "searched_from" not in page


def test_array_and_export_are_searched_to_the_end_because_they_cannot_report_a_limit(
    client: APIClient, log: ListRoute
) -> None:
    query = {name: text for name, text in log.query(search=_term(log)).items() if name not in {"limit", "offset"}}
    whole = client.get(log.path, query).json()
    assert len(whole) > _SEARCHED + 1
    if getattr(log.view, "exportable", True):
        file = b"".join(client.get(log.path, {**query, "format": "csv", "limit": "100"}).streaming_content)
        assert file.count(b"\r\n") >= len(whole)
