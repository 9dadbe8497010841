"""Pages that are read by primary key equal the pages of the queryset.

Covers reading from either end, equal and missing sort values, and concurrent changes.
"""

from typing import Any

import pytest
from django.db import connection
from django.db.models import Count, QuerySet
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.grants import make_asset
from postern.apps.assets.models import Asset, HostKey, Label
from postern.foundation.rest import keyed
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db
ASSETS = "/api/v1/assets/assets/"
COUNT = 23


@pytest.fixture
def assets(db: None) -> list[Asset]:
    """Assets of which some share an address and some have no number of cores."""
    created = [make_asset(f"web-{number:02}") for number in range(COUNT)]
    for number, asset in enumerate(created):
        asset.ip = f"203.0.113.{number % 5}"
        asset.cpu_cores = number % 4 or None
    Asset.objects.bulk_update(created, ["ip", "cpu_cores"])
    return created


@pytest.mark.parametrize("order", ["hostname", "-hostname", "ip", "-ip", "cpu_cores", "-cpu_cores", ""])
@pytest.mark.parametrize("limit", [4, 17, 30])
def test_all_pages_together_are_the_whole_list(
    as_admin: APIClient, assets: list[Asset], order: str, limit: int
) -> None:
    whole = as_admin.get(ASSETS, {"order": order}).json()
    assert len(whole) == COUNT
    for offset in range(COUNT):
        answer = as_admin.get(ASSETS, {"order": order, "limit": str(limit), "offset": str(offset)}).json()
        assert answer["results"] == whole[offset : offset + limit]
        assert answer["count"] == COUNT


def test_links_lead_to_the_next_and_previous_pages(as_admin: APIClient, assets: list[Asset]) -> None:
    page = as_admin.get(f"{ASSETS}?search=web&limit=5&offset=5&order=hostname&search=web").json()
    assert page["next"] == f"http://testserver{ASSETS}?limit=5&offset=10&order=hostname&search=web&search=web"
    assert page["previous"] == f"http://testserver{ASSETS}?limit=5&order=hostname&search=web&search=web"
    first = as_admin.get(page["previous"]).json()
    assert [row["hostname"] for row in first["results"]] == [f"web-{number:02}" for number in range(5)]
    assert first["previous"] is None
    last = as_admin.get(f"{ASSETS}?limit=5&offset=20").json()
    assert (last["next"], last["previous"]) == (None, f"http://testserver{ASSETS}?limit=5&offset=15")


def test_page_in_the_second_half_is_read_from_the_end(as_admin: APIClient, assets: list[Asset]) -> None:
    with CaptureQueriesContext(connection) as queries:
        as_admin.get(ASSETS, {"order": "hostname", "limit": "5", "offset": "16"})
    [keys] = [query["sql"] for query in queries if "LIMIT 5" in query["sql"]]
    assert 'ORDER BY "assets_asset"."hostname" DESC LIMIT 5 OFFSET 2' in keys


def test_rows_read_by_key_equal_the_rows_of_the_queryset(assets: list[Asset]) -> None:
    rows = Asset.objects.order_by("hostname").select_related("platform").prefetch_related("protocol_rows")
    with_related = keyed.relations(rows)
    assert with_related == ("platform",)
    rows_by_key = keyed.read(rows, keyed.keys_of(keyed.query_for(rows), 3, 6))
    with CaptureQueriesContext(connection) as queries:
        assert [_columns(row) for row in rows_by_key] == [_columns(row) for row in rows[3:9]]
        assert [row._state.adding for row in rows_by_key] == [False] * 6
    assert len(queries) == 2, "platform and protocols of the rows that were read by key need no more queries"


def _columns(row: Asset) -> Any:
    own = {column.attname: getattr(row, column.attname) for column in Asset._meta.concrete_fields}
    return own, row.platform.name, row.platform.charset, [str(protocol) for protocol in row.protocol_rows.all()]


def test_row_deleted_between_the_two_queries_is_left_out(assets: list[Asset]) -> None:
    rows = Asset.objects.order_by("hostname")
    keys = keyed.keys_of(keyed.query_for(rows), limit=3)
    HostKey.objects.all().delete()
    Asset.objects.filter(pk=assets[1].pk).delete()
    assert [row.hostname for row in keyed.read(rows, keys)] == ["web-00", "web-02"]
    assert keyed.read(rows, []) == []


@pytest.mark.parametrize(
    "rows",
    [
        Label.objects.annotate(asset_count=Count("assets")),
        Asset.objects.only("hostname"),
        Asset.objects.defer("comment"),
        Asset.objects.values("hostname"),
        Asset.objects.select_for_update(),
        Asset.objects.filter(ip="a").union(Asset.objects.filter(ip="b")),
        HostKey.objects.select_related("asset__platform"),
        HostKey.objects.select_related(),
    ],
)
def test_queryset_of_anything_but_plain_whole_rows_is_not_read_by_key(rows: QuerySet[Any]) -> None:
    assert keyed.relations(rows) is None


def test_object_moved_to_another_organization_is_not_found(as_admin: APIClient, assets: list[Asset]) -> None:
    path = f"{ASSETS}{assets[0].pk}/"
    assert as_admin.get(path).json()["hostname"] == "web-00"
    Asset.objects.filter(pk=assets[0].pk).update(org_id="7b1c3c52-58a5-4d0e-9c67-000000000001")
    assert as_admin.get(path).status_code == 404
    Asset.objects.filter(pk=assets[0].pk).update(org_id=DEFAULT_ORG_ID)
    assert as_admin.get(path).status_code == 200
