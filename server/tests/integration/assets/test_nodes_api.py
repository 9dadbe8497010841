import random
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.grants import make_asset, make_node
from postern.apps.assets.models import AssetNode, Node, NodePath, TreeChange, TreeVersion
from postern.apps.assets.nodes.actions import root_of
from postern.apps.assets.tree import node_keys
from postern.apps.assets.tree.actions import create_node, delete_node, move_nodes, rename_node
from postern.apps.assets.tree.errors import NodeNotEmpty, NodeRefused, NodeValueRefused
from postern.apps.assets.tree.upkeep import prune_changes
from postern.apps.audits.models import AuditEvent
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

URL = "/api/v1/assets/nodes/"


def assert_tree_is_sound() -> None:
    """Assert that keys, full values and the closure table agree with the parents."""
    nodes = {node.pk: node for node in Node.objects.all()}
    pairs = set()
    for node in nodes.values():
        chain = [node]
        while chain[-1].parent_id:
            chain.append(nodes[chain[-1].parent_id])
        pairs |= {(above.pk, node.pk) for above in chain}
        assert node.full_value == "".join(f"/{ancestor.value}" for ancestor in reversed(chain))
        if node.parent_id:
            assert node_keys.parent_of(node.key) == nodes[node.parent_id].key
        else:
            assert node_keys.is_root(node.key)
    assert set(NodePath.objects.values_list("ancestor_id", "descendant_id")) == pairs


@pytest.mark.parametrize("seed", range(4))
def test_tree_is_consistent_after_random_edits(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(60):
        nodes = list(Node.objects.all())
        node, other = dice.choice(nodes), dice.choice(nodes)
        try:
            match dice.choice(["create", "create", "move", "move", "rename", "delete"]):
                case "create":
                    create_node(actor=SYSTEM, parent=node, value=dice.choice([None, "web", "db", "a b"]))
                case "move":
                    move_nodes(actor=SYSTEM, target=node, nodes=[other])
                case "rename":
                    rename_node(actor=SYSTEM, node=node, value=dice.choice(["x", "y", "web"]))
                case _:
                    delete_node(actor=SYSTEM, node=node)
        except (NodeRefused, NodeValueRefused, NodeNotEmpty):
            pass
        if dice.random() < 0.2:
            assert_tree_is_sound()
    assert_tree_is_sound()
    assert Node.objects.filter(parent__isnull=True).count() == 1


def test_k63_key_of_a_deleted_node_is_not_reused() -> None:
    first = make_node("a")
    key = first.key
    delete_node(actor=SYSTEM, node=first)
    assert make_node("b").key != key


def test_children_are_created_named_and_listed(as_org_admin: APIClient) -> None:
    root = root_of(DEFAULT_ORG_ID)
    made = as_org_admin.post(f"{URL}{root.pk}/children/", {})
    assert made.status_code == 201, made.data
    assert made.json()["key"] == f"{root.key}:0"
    again = as_org_admin.post(f"{URL}{root.pk}/children/", {})
    assert made.json()["value"] != again.json()["value"]
    deep = as_org_admin.post(f"{URL}children/?key={made.json()['key']}", {"value": "deep"}).json()
    assert deep["full_value"] == f"/Default/{made.json()['value']}/deep"
    assert deep["name"] == "deep"
    assert as_org_admin.post(URL, {"value": "top"}).json()["full_value"] == "/Default/top"
    rows = as_org_admin.get(f"{URL}{root.pk}/children/").json()
    assert {row["value"] for row in rows} == {made.json()["value"], again.json()["value"], "top"}
    assert len(as_org_admin.get(f"{URL}?search=deep").json()) == 1


@pytest.mark.parametrize("value", ["web", " web ", "a/b", "x" * 129, "a\tb"])
def test_create_node_with_a_bad_or_taken_name_is_refused(as_org_admin: APIClient, value: str) -> None:
    make_node("web")
    answer = as_org_admin.post(f"{URL}{root_of(DEFAULT_ORG_ID).pk}/children/", {"value": value})
    assert answer.status_code == 400
    assert set(answer.json()) == {"value"}


def test_tree_answers_have_counts_of_each_subtree(as_org_admin: APIClient) -> None:
    root = root_of(DEFAULT_ORG_ID)
    web = make_node("web")
    deep = make_node("deep", parent=web)
    asset = make_asset("h1", ip="192.0.2.1", nodes=[web, deep])
    make_asset("h2", nodes=[deep])
    [shape] = as_org_admin.get(f"{URL}children/tree/?assets=0").json()
    assert (shape["id"], shape["name"], shape["pId"], shape["isParent"]) == (root.key, "Default (2)", "", True)
    rows = as_org_admin.get(f"{URL}children/tree/?key={root.key}&n=Default&lv=0").json()
    assert [row["name"] for row in rows] == ["web (2)"]
    assert rows[0]["meta"] == {"type": "node", "data": {"id": str(web.pk), "key": web.key, "value": "web"}}
    rows = as_org_admin.get(f"{URL}children/tree/?key={web.key}&assets=1").json()
    assert [row["name"] for row in rows] == ["deep (2)", "h1"]
    leaf = rows[1]
    assert leaf["meta"]["data"] == {
        "id": str(asset.pk), "hostname": "h1", "ip": "192.0.2.1", "protocols": ["ssh/22"], "platform": "Linux", "org_name": "Default",
    }  # fmt: skip
    assert (leaf["pId"], leaf["title"], leaf["iconSkin"], leaf["isParent"]) == (web.key, "192.0.2.1", "linux", False)
    whole = as_org_admin.get(f"{URL}tree/").json()
    assert [row["meta"]["data"]["assets_amount"] for row in whole] == [2, 2, 2]
    assert as_org_admin.get(f"{URL}children/tree/?key=9:9").status_code == 404
    assert as_org_admin.get(f"{URL}children/tree/?key=x").status_code == 404


@pytest.mark.parametrize("count", [1, 12])
def test_children_tree_takes_a_fixed_number_of_queries(
    as_org_admin: APIClient, count: int, django_assert_num_queries: Any
) -> None:
    root = root_of(DEFAULT_ORG_ID)
    for _ in range(count):
        make_asset(nodes=[make_node(), root])
    with django_assert_num_queries(7):
        as_org_admin.get(f"{URL}children/tree/?key={root.key}&assets=1")


def test_move_rename_and_delete_follow_the_rules(as_org_admin: APIClient) -> None:
    root = root_of(DEFAULT_ORG_ID)
    a, b = make_node("a"), make_node("b")
    c = make_node("c", parent=a)
    assert as_org_admin.put(f"{URL}{b.pk}/children/add/", {"nodes": [str(a.pk)]}).json() == "OK"
    c.refresh_from_db()
    assert c.full_value == "/Default/b/a/c"
    refused = as_org_admin.put(f"{URL}{c.pk}/children/add/", {"nodes": [str(b.pk)]})
    assert (refused.status_code, set(refused.json())) == (400, {"error"})
    assert as_org_admin.patch(f"{URL}{b.pk}/", {"value": "bb"}).json()["full_value"] == "/Default/bb"
    c.refresh_from_db()
    assert c.full_value == "/Default/bb/a/c"
    refused = as_org_admin.patch(f"{URL}{root.pk}/", {"value": "x"})
    assert (refused.status_code, set(refused.json())) == (400, {"error"})
    for node in (root, b):
        refused = as_org_admin.delete(f"{URL}{node.pk}/")
        assert (refused.status_code, set(refused.json())) == (403, {"error"})
    assert as_org_admin.delete(f"{URL}{c.pk}/").status_code == 204
    assert {"node.moved", "node.updated", "node.deleted"} <= set(AuditEvent.objects.values_list("event", flat=True))


def test_assets_are_added_removed_and_moved(as_org_admin: APIClient) -> None:
    root, a, b = root_of(DEFAULT_ORG_ID), make_node("a"), make_node("b")
    asset = make_asset(nodes=[a])

    def places() -> set[Any]:
        return set(AssetNode.objects.filter(asset=asset).values_list("node_id", flat=True))

    body = {"assets": [str(asset.pk)]}
    answer = as_org_admin.put(f"{URL}{b.pk}/assets/add/", body)
    assert answer.json() == {**body, "org_id": str(DEFAULT_ORG_ID), "org_name": "Default"}
    assert places() == {a.pk, b.pk}
    as_org_admin.put(f"{URL}{b.pk}/assets/remove/", body)
    assert places() == {a.pk}
    as_org_admin.put(f"{URL}{a.pk}/assets/remove/", body)
    assert places() == {root.pk}
    as_org_admin.put(f"{URL}{b.pk}/assets/replace/", body)
    assert places() == {b.pk}
    assert [row["id"] for row in as_org_admin.get(f"{URL}{b.pk}/assets/").json()] == [str(asset.pk)]
    assert as_org_admin.get(f"{URL}{root.pk}/assets/").json() == []
    assert len(as_org_admin.get(f"{URL}{root.pk}/assets/?all=1").json()) == 1


def test_every_write_increments_the_version_and_logs_the_changed_objects() -> None:
    before = TreeVersion.objects.get(org_id=DEFAULT_ORG_ID).seq
    node = make_node("a")
    asset = make_asset(nodes=[node])
    after = TreeVersion.objects.get(org_id=DEFAULT_ORG_ID)
    assert after.seq == before + 2
    logged = set(TreeChange.objects.filter(seq__gt=before).values_list("kind", "object_id"))
    assert {("node", node.pk), ("asset", asset.pk)} <= logged
    number = asset.dense_id
    asset.delete()
    assert make_asset().dense_id > number


def test_prune_changes_keeps_the_last_changes_of_each_organization() -> None:
    for _ in range(5):
        make_node()
    last = TreeVersion.objects.get(org_id=DEFAULT_ORG_ID).seq
    assert prune_changes(kept_writes=2) > 0
    assert set(TreeChange.objects.values_list("seq", flat=True)) == {last - 1, last}
    assert prune_changes(kept_writes=2) == 0
