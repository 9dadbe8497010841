"""Pages of a user with many assets are read without composing the whole reach. They must equal the pages of the
composed reach.
"""

from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.grants import grant, make_asset, make_node, make_system_user
from factories.lists import counted_steps
from factories.many_rows import ManyRows
from postern.apps.assets.favorites.actions import add_favorite
from postern.apps.assets.models import Asset, Node
from postern.apps.assets.nodes.actions import root_of
from postern.apps.perms.facade import resolve_target
from postern.apps.perms.granted.api import pages
from postern.apps.users.models import User
from postern.contracts.enums import Protocol
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.rest import pagination
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("answered_by")]

ME = "/api/v1/perms/users/"
#: Numbers of assets. `web` contains `deep`. Two of three assets in `web` are in reach, and four assets are granted by
#: name.
_WEB, _DEEP, _ELSEWHERE = 20, 12, 6
_QUERIES = ("", "order=-hostname", "order=ip", "order=-ip", "order=comment", "search=a1", "search=even", "comment=even")


@pytest.fixture
def nodes(people: dict[str, User]) -> dict[str, Any]:
    user = people["user"]
    web, other = make_node("web"), make_node("other")
    deep, few = make_node("deep", parent=web), make_node("few", parent=web)
    protocols = ["ssh/22"], ["rdp/3389"], ["ssh/22", "rdp/3389"]
    for number in range(_WEB):
        make_asset(
            f"a{number:02}",
            ip=f"192.0.2.{number}",
            nodes=[web],
            protocols=protocols[number % 3],
            comment="even"[: number % 2 * 4],
        )
    made = [make_asset(f"b{number:02}", ip=f"192.0.3.{number}", nodes=[deep, other]) for number in range(_DEEP)]
    made += [make_asset(f"c{number:02}", ip=f"192.0.4.{number}", nodes=[other]) for number in range(_ELSEWHERE)]
    make_asset("d00", nodes=[few], is_active=False)
    grant("web", users=[user], nodes=[web], system_users=[make_system_user("linux")])
    grant("named", users=[user], assets=made[-4:], system_users=[make_system_user("root")])
    for asset in (made[0], made[-1], made[-5]):  # the last of these assets is out of reach
        add_favorite(actor=SYSTEM, user_id=user.pk, asset=asset)
    return {
        "web": web.pk,
        "deep": deep.pk,
        "few": few.pk,
        "other": other.pk,
        "favorite": "favorite",
        "ungrouped": "ungrouped",
    }


@pytest.fixture(params=["window that holds a page", "window that does not"])
def wide(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Count a reach of more than five assets as wide."""
    monkeypatch.setattr(pagination, "COUNTED_ACROSS", 5)
    monkeypatch.setattr(pages, "_EACH", 1)
    monkeypatch.setattr(pages, "_BESIDES", 40 if "that holds" in request.param else 0)


def _pages(client: APIClient, url: str) -> list[Any]:
    pages_read: list[Any] = []
    while url:
        page = client.get(url).json()
        pages_read.append(page)
        url = page["next"]
    return pages_read


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("place", ["", "web", "deep", "few", "other", "favorite", "ungrouped"])
def test_pages_of_a_wide_reach_are_those_of_the_composed_reach(
    as_user: APIClient, nodes: dict[str, Any], place: str
) -> None:
    """All queries read the same assets: making them takes longer than reading them."""
    url = f"{ME}nodes/{nodes[place]}/assets/" if place else f"{ME}assets/"
    for query in _QUERIES:
        whole = [row["hostname"] for row in as_user.get(f"{url}?{query}").json()]  # composed: an array has no pages
        pages_read = _pages(as_user, f"{url}?limit=4&{query}")
        assert [row["hostname"] for page in pages_read for row in page["results"]] == whole, query
        assert pages_read[-1]["count"] == len(whole), query
        for page, following in pairwise(pages_read):
            assert following["results"], query
            assert page["count"] == len(whole) or page["count_is_minimum"], query
        if not query and place in {"", "web", "other"}:
            assert len(whole) > 5


def test_wide_reach_is_not_composed_for_a_page(
    as_user: APIClient, nodes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pagination, "COUNTED_ACROSS", 5)
    for url in (f"{ME}assets/?limit=4", f"{ME}nodes/{nodes['web']}/assets/?limit=4"):
        with CaptureQueriesContext(connection) as queries:
            assert len(as_user.get(url).json()["results"]) == 4
        assert not [query for query in queries if " UNION " in query["sql"] and "assets_assetprotocol" in query["sql"]]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="counts instructions of SQLite's machine")
@pytest.mark.parametrize("ref", ["hostname-0000007", "10.0.0.7", "id"])
def test_resolving_a_typed_name_costs_no_more_in_a_wider_reach(people: dict[str, User], ref: str) -> None:
    user = people["user"]
    grant(users=[user], nodes=[root_of(DEFAULT_ORG_ID)], system_users=[make_system_user()])
    many, costs = ManyRows(people["admin"]), list[int]()
    many.fill(Node, 120)
    for size in (50, 500):
        many.fill(Asset, size)
        named = str(Asset.objects.get(hostname="hostname-0000007").pk) if ref == "id" else ref
        with counted_steps() as steps:
            answer = resolve_target(user_id=user.pk, asset_ref=named, system_user_ref="", protocol=Protocol.SSH)
        assert answer.target is not None
        costs.append(steps.count)
    assert costs[1] < costs[0] * 1.3
