"""The relations that are attached to the rows of a page equal those of Django's own prefetching."""

from typing import Any

import pytest
from django.db import connection
from django.db.models import Prefetch
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.grants import make_asset, make_group, make_node
from postern.apps.assets.models import Asset, AssetProtocol, Label, Node
from postern.apps.orgs.facade import create_organization
from postern.apps.users.models import User, UserGroup
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.rest import related
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows() -> list[Asset]:
    """Three assets. Two have labels and share one of them; all have nodes and protocols in a non-alphabetical order."""
    labels = [Label.objects.create(org_id=DEFAULT_ORG_ID, name="stage", value=value) for value in ("live", "old")]
    nodes = [make_node("b"), make_node("a")]
    assets = [make_asset(f"web-{number}", nodes=nodes, protocols=["telnet/23", "ssh/22"]) for number in range(3)]
    assets[0].labels.add(*labels)
    assets[1].labels.add(labels[0])
    return assets


@pytest.mark.parametrize(
    "lookups",
    [
        ("labels", "nodes", "protocol_rows"),
        (Prefetch("labels", Label.objects.only("name")), Prefetch("nodes", Node.objects.order_by("-value"))),
        (Prefetch("labels", Label.objects.filter(value="old")),),
        (Prefetch("labels", Label.objects.filter(value__startswith="o")),),
        (Prefetch("protocol_rows", AssetProtocol.objects.only("name").order_by("name")), "platform"),
    ],
)
def test_attached_relations_equal_those_that_django_prefetches(rows: list[Asset], lookups: tuple[Any, ...]) -> None:
    expected = list(Asset.objects.prefetch_related(*lookups).order_by("hostname"))
    attached = list(Asset.objects.order_by("hostname"))
    related.attach(attached, lookups)
    names = [lookup if isinstance(lookup, str) else lookup.prefetch_through for lookup in lookups]
    with CaptureQueriesContext(connection) as queries:
        for name in set(names) - {"platform"}:
            assert [list(getattr(row, name).all()) for row in attached] == [
                list(getattr(row, name).all()) for row in expected
            ]
            assert [list(related.prefetched(row, name)) for row in attached] == [
                list(getattr(row, name).all()) for row in expected
            ]
            assert [len(getattr(row, name).all()) for row in attached] == [
                getattr(row, name).count() for row in expected
            ]
    assert len(queries) == 0


def test_deferred_columns_are_read_on_access(rows: list[Asset]) -> None:
    related.attach(rows, [Prefetch("labels", Label.objects.only("name"))])
    assert [label.value for label in related.prefetched(rows[0], "labels")] == ["live", "old"]


def test_changed_relation_is_read_again(rows: list[Asset]) -> None:
    related.attach(rows, ["labels"])
    rows[0].labels.clear()
    assert list(rows[0].labels.all()) == list(related.prefetched(rows[0], "labels")) == []


def test_reverse_relations_are_attached_too(rows: list[Asset]) -> None:
    label = Label.objects.get(value="live")
    related.attach([label], [Prefetch("assets", Asset.objects.only("pk").order_by("hostname"))])
    with CaptureQueriesContext(connection) as queries:
        assert [asset.pk for asset in related.prefetched(label, "assets")] == [rows[0].pk, rows[1].pk]
    assert len(queries) == 0


def test_users_show_only_their_groups_of_this_organization(as_admin: APIClient, people: dict[str, User]) -> None:
    here = make_group("here", users=[people["user"]])
    elsewhere = create_organization(actor=SYSTEM, name="Elsewhere")
    make_group("there", users=[people["user"]], org_id=elsewhere.pk)
    rows = as_admin.get("/api/v1/users/users/", {"username": people["user"].username, "limit": "15"}).json()["results"]
    assert [row["groups"] for row in rows] == [[str(here.pk)]]


def test_amounts_are_shown_and_the_list_is_ordered_by_them(
    as_admin: APIClient, people: dict[str, User], monkeypatch: Any
) -> None:
    monkeypatch.setattr("postern.apps.users.groups.api.UserGroupViewSet.ordering_fields", ("name", "users_amount"))
    for name, members in (("a", ["user"]), ("b", []), ("c", ["user", "admin"])):
        make_group(name, users=[people[member] for member in members])
    answer = as_admin.get("/api/v1/users/groups/", {"limit": "15", "order": "-users_amount"}).json()["results"]
    assert [(row["name"], row["users_amount"]) for row in answer] == [("c", 2), ("a", 1), ("b", 0)]
    assert UserGroup.objects.count() == 3
