"""Bulk writes of a resource that writes in sets: the result of single writes, with a fixed number of queries."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.grants import make_node
from factories.hearing import Hearing
from postern.apps.assets.models import Asset, AssetNode, AssetProtocol, Label, Node, TreeChange
from postern.apps.assets.tree.events import AssetsChanged
from postern.apps.audits import facade as audits
from postern.apps.audits.models import AuditEvent
from postern.foundation.rest.by_key import chosen
from postern.kernel.ids import DEFAULT_ORG_ID, new_id

pytestmark = pytest.mark.django_db

URL = "/api/v1/assets/assets/"


def _bodies(count: int, prefix: str = "host") -> list[dict[str, Any]]:
    return [{"hostname": f"{prefix}-{n}", "ip": f"192.0.2.{n}", "platform": "Linux"} for n in range(count)]


def _make(client: APIClient, count: int, prefix: str = "host") -> list[dict[str, Any]]:
    answer = client.post(URL, _bodies(count, prefix))
    assert answer.status_code == 201, answer.content
    made: list[dict[str, Any]] = answer.json()
    return made


def _records() -> QuerySet[AuditEvent]:
    """The records of the organization. Sequence numbers of different chains are not comparable."""
    return AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID).order_by("sequence")


def _queries(call: Callable[[], Any], status: int) -> int:
    with CaptureQueriesContext(connection) as queries:
        answer = call()
    assert answer.status_code == status, answer.content
    return len(queries)


@pytest.mark.spec("S7-049")
def test_number_of_queries_does_not_grow_with_the_array(as_org_admin: APIClient) -> None:
    few, many = _make(as_org_admin, 3, "few"), _make(as_org_admin, 30, "many")

    def creating(prefix: str, count: int) -> int:
        return _queries(lambda: as_org_admin.post(URL, _bodies(count, prefix)), 201)

    def changing(rows: list[dict[str, Any]]) -> int:
        body = [{"id": row["id"], "hostname": f"{row['hostname']}-x", "protocols": ["ssh/2222"]} for row in rows]
        return _queries(lambda: as_org_admin.patch(URL, body), 200)

    def deleting(rows: list[dict[str, Any]]) -> int:
        return _queries(lambda: as_org_admin.delete(f"{URL}?ids={','.join(row['id'] for row in rows)}"), 204)

    assert creating("c", 30) <= creating("d", 3) + 1  # the relations of a page are read in batches
    assert changing(many) <= changing(few) + 1
    assert deleting(many) <= deleting(few) + 1


def test_each_asset_has_its_audit_record_and_the_chain_is_valid(as_org_admin: APIClient) -> None:
    before = _records().count()
    rows = _make(as_org_admin, 3)
    body = [{"id": row["id"], "comment": f"c{place}", "protocols": ["rdp/3389"]} for place, row in enumerate(rows)]
    assert as_org_admin.patch(URL, body).status_code == 200
    assert as_org_admin.delete(f"{URL}?ids={','.join(row['id'] for row in rows)}").status_code == 204
    recorded = list(_records()[before:])
    assert [row.action for row in recorded] == ["create"] * 3 + ["update"] * 3 + ["delete"] * 3
    assert [row.resource_id for row in recorded[:6]] == [row["id"] for row in rows] * 2
    assert [row.resource for row in recorded[:3]] == ["host-0(192.0.2.0)", "host-1(192.0.2.1)", "host-2(192.0.2.2)"]
    assert (recorded[0].new["protocols"], recorded[0].new["nodes"]) == (["ssh/22"], ["/Default"])
    assert recorded[4].old == {"comment": "", "protocols": ["ssh/22"]}
    assert recorded[4].new == {"comment": "c1", "protocols": ["rdp/3389"]}
    gone = {row.resource_id: row.old for row in recorded[6:]}
    assert gone[rows[2]["id"]]["protocols"] == ["rdp/3389"]
    assert gone[rows[2]["id"]]["nodes"] == ["/Default"]
    assert [row.sequence for row in recorded] == list(range(recorded[0].sequence, recorded[0].sequence + 9))
    assert not audits.verify_log().faults


def test_array_has_the_result_of_single_calls(as_org_admin: APIClient) -> None:
    node, label = make_node("web"), Label.objects.create(org_id=DEFAULT_ORG_ID, name="env", value="prod")
    single, twin = _make(as_org_admin, 2)
    other = _make(as_org_admin, 1, "other")[0]
    changes: dict[str, Any] = {
        "ip": "198.51.100.9",
        "platform": "Windows",
        "protocols": ["rdp/3390", "ssh/22"],
        "nodes": [str(node.pk)],
        "labels": [str(label.pk)],
        "cpu_count": 4,
        "is_active": False,
        "comment": "changed",
    }
    alone = as_org_admin.patch(f"{URL}{single['id']}/", changes).json()
    together = as_org_admin.patch(
        URL, [{"id": twin["id"], **changes}, {"id": other["id"], "nodes_display": ["/Default/made/here"]}]
    ).json()
    own = {"id", "hostname", "date_created", "date_updated"}
    assert {name: alone[name] for name in alone.keys() - own} == {
        name: together[0][name] for name in alone.keys() - own
    }
    assert together[1]["nodes_display"] == ["/Default/made/here"]
    assert together == [as_org_admin.get(f"{URL}{row['id']}/").json() for row in together]


def test_unchanged_items_are_neither_written_nor_audited(as_org_admin: APIClient) -> None:
    rows = _make(as_org_admin, 3)
    before, changes = _records().count(), TreeChange.objects.count()
    same = [{"id": row["id"], "comment": row["comment"], "protocols": row["protocols"]} for row in rows]
    same[1]["comment"] = "new"
    answer = as_org_admin.patch(URL, same).json()
    assert [row.resource_id for row in _records()[before:]] == [rows[1]["id"]]
    assert [row["date_updated"] for row in answer][::2] == [row["date_updated"] for row in rows][::2]
    assert list(TreeChange.objects.order_by("id")[changes:].values_list("object_id", flat=True)) == [
        Asset.objects.get(pk=rows[1]["id"]).pk
    ]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"hostname": "host-0"}, "hostname"),  # used by a row outside of the array
        ({"platform": "No such"}, "platform"),
        ({"nodes": [str(new_id())]}, "nodes"),
        ({"nodes_display": ["/Elsewhere/x"]}, "error"),  # only the action can detect this
    ],
)
def test_refused_item_of_an_update_array_is_reported_and_nothing_is_stored(
    as_org_admin: APIClient, wrong: dict[str, Any], field: str
) -> None:
    rows = _make(as_org_admin, 4)
    before, nodes = AuditEvent.objects.count(), Node.objects.count()
    body: list[dict[str, Any]] = [
        {"id": row["id"], "comment": "x", "nodes_display": ["/Default/new"]} for row in rows[1:]
    ]
    body[1] |= wrong
    answer = as_org_admin.patch(URL, body)
    assert (answer.status_code, [set(item) for item in answer.json()]) == (400, [set(), {field}, set()])
    assert (AuditEvent.objects.count(), Node.objects.count()) == (before, nodes)
    assert not Asset.objects.filter(comment="x").exists()


def test_refused_item_of_a_create_array_is_reported_and_nothing_is_stored(as_org_admin: APIClient) -> None:
    _make(as_org_admin, 1, "taken")
    before = AuditEvent.objects.count()
    twins = _bodies(4)
    twins[2]["hostname"] = "host-1"
    taken = _bodies(3)
    taken[1]["hostname"] = "taken-0"
    nowhere = _bodies(2)
    nowhere[1]["nodes_display"] = ["/Elsewhere"]
    for body, place, field in ((twins, 2, "hostname"), (taken, 1, "hostname"), (nowhere, 1, "error")):
        answer = as_org_admin.post(URL, body)
        expected = [{field} if number == place else set() for number in range(len(body))]
        assert (answer.status_code, [set(item) for item in answer.json()]) == (400, expected)
    assert (AuditEvent.objects.count(), Asset.objects.count()) == (before, 1)
    assert AssetProtocol.objects.count() == AssetNode.objects.count() == 1


def test_unique_names_are_compared_with_the_rows_before_the_call(as_org_admin: APIClient) -> None:
    first, second, third = _make(as_org_admin, 3)
    swapped = [{"id": first["id"], "hostname": "host-1"}, {"id": second["id"], "hostname": "host-0"}]
    answer = as_org_admin.patch(URL, swapped)
    assert (answer.status_code, [set(item) for item in answer.json()]) == (400, [{"hostname"}, {"hostname"}])
    changes = [{"id": first["id"], "hostname": "host-0"}, {"id": third["id"], "hostname": "host-9"}]
    assert as_org_admin.patch(URL, changes).status_code == 200
    assert sorted(Asset.objects.values_list("hostname", flat=True)) == ["host-0", "host-1", "host-9"]


def test_invisible_asset_cannot_be_written_in_a_set(as_org_admin: APIClient) -> None:
    mine = _make(as_org_admin, 2)
    Asset.objects.filter(pk=mine[1]["id"]).update(org_id=new_id())
    answer = as_org_admin.patch(URL, [{"id": row["id"], "comment": "x"} for row in mine])
    assert (answer.status_code, [set(item) for item in answer.json()]) == (400, [set(), {"id"}])
    assert as_org_admin.delete(f"{URL}?ids={mine[0]['id']},{mine[1]['id']}").status_code == 204
    assert [str(pk) for pk in Asset.objects.values_list("pk", flat=True)] == [mine[1]["id"]]


def test_subscribers_get_one_event_for_an_array(
    as_org_admin: APIClient, hear: Hearing, django_capture_on_commit_callbacks: Any
) -> None:
    heard = hear(AssetsChanged)
    with django_capture_on_commit_callbacks(execute=True):
        rows = _make(as_org_admin, 5)
    assert heard == [AssetsChanged(org_id=DEFAULT_ORG_ID)]
    with django_capture_on_commit_callbacks(execute=True):
        as_org_admin.patch(URL, [{"id": row["id"], "is_active": False} for row in rows])
    assert len(heard) == 2


def test_rows_by_key_are_not_selected_by_organization(as_org_admin: APIClient) -> None:
    rows = _make(as_org_admin, 3)
    inside = Asset.objects.filter(org_id=DEFAULT_ORG_ID, is_active=True).order_by()
    by_key = chosen(inside, [row["id"] for row in rows[:2]])
    assert {str(row.pk) for row in by_key} == {row["id"] for row in rows[:2]}
    assert not chosen(Asset.objects.filter(org_id=new_id()), [rows[0]["id"]]).exists()
    assert {str(row.pk) for row in inside} == {row["id"] for row in rows}  # the original queryset is unchanged
    if connection.vendor == "sqlite":
        assert "org_id" not in by_key.explain()
