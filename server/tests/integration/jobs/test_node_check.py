"""The check of the node tree: finds and corrects what does not fit the parents of the nodes."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from factories.jobs import ended
from postern.apps.assets import facade as assets
from postern.apps.assets.models import Asset, AssetNode, Node, NodePath
from postern.apps.assets.tree.actions import create_node, move_nodes
from postern.apps.audits.models import AuditEvent
from postern.apps.jobs.engine.dispatcher import Dispatcher
from postern.apps.jobs.engine.models import Job, JobState
from postern.apps.jobs.logs.files import LogReader
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID

CHECK = "/api/v1/assets/nodes/check_assets_amount_task/"
TREE = "/api/v1/assets/nodes/tree/"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tree() -> list[Node]:
    """Thirty nodes, some moved, in the default organization."""
    root = assets.ensure_root_node(actor=SYSTEM, org_id=DEFAULT_ORG_ID, name="Default")
    nodes, chance = [root], random.Random(3)
    for number in range(30):
        nodes.append(create_node(actor=SYSTEM, parent=chance.choice(nodes), value=f"n{number}"))
    move_nodes(actor=SYSTEM, target=nodes[30], nodes=[nodes[1]]) if not _is_below(nodes[30], nodes[1]) else None
    return nodes


def _is_below(node: Node, above: Node) -> bool:
    return NodePath.objects.filter(ancestor=above, descendant=node).exists()


def make_asset(as_org_admin: APIClient, name: str, node: Node) -> Any:
    body = {"hostname": name, "ip": "192.0.2.1", "platform": "Linux", "nodes": [str(node.pk)]}
    answer = as_org_admin.post("/api/v1/assets/assets/", body, format="json")
    assert answer.status_code == 201, answer.content
    return answer.json()["id"]


@pytest.fixture
def check(as_org_admin: APIClient, tmp_path: Any) -> Any:
    """Runs the check with a worker that logs where the API reads."""
    workers: list[Dispatcher] = []

    def run() -> Job:
        if not workers:
            workers.append(Dispatcher(settings.POSTERN.home, "worker", poll_s=0.05))
            workers[0].start()
        answer = as_org_admin.post(CHECK, headers={"Accept-Language": "en"})
        assert answer.status_code == 200, answer.content
        return ended(Job.objects.get(pk=answer.json()["task"]))

    yield run
    for worker in workers:
        worker.stop()


def test_tree_in_order_stays_as_it_is(as_org_admin: APIClient, tree: list[Node], check: Callable[[], Job]) -> None:
    make_asset(as_org_admin, "web-1", tree[3])
    before = sorted(Node.objects.values_list("pk", "key", "full_value"))
    job = check()
    assert (job.state, job.outcome) == (JobState.SUCCEEDED, "whole")
    assert job.outcome_values == {"nodes": 31, "assets": 1}
    assert sorted(Node.objects.values_list("pk", "key", "full_value")) == before
    log = LogReader(settings.POSTERN.home, job.pk).read(0, 10_000).decode()
    assert "Nodes checked: 31, assets: 1." in log
    said = as_org_admin.get(f"/api/v1/ops/celery/task/{job.pk}/result/", headers={"Accept-Language": "en"}).json()
    assert said["result"] == "The tree is in order. Nodes: 31, assets: 1."


def test_wrong_rows_are_corrected_and_numbers_are_right_again(
    as_org_admin: APIClient, tree: list[Node], check: Callable[[], Job]
) -> None:
    """A hand in the database has changed every form of the tree but the parents."""
    for number in range(6):
        make_asset(as_org_admin, f"web-{number}", tree[5 * number])
    lost = make_asset(as_org_admin, "lost", tree[9])
    right = as_org_admin.get(TREE).json()
    node, other = tree[9], tree[12]
    AssetNode.objects.filter(asset_id=lost).delete()
    NodePath.objects.filter(descendant=node).exclude(ancestor=node).delete()
    stranger = next(each for each in tree if not _is_below(other, each))
    NodePath.objects.create(ancestor=stranger, descendant=other)
    Node.objects.filter(pk=tree[15].pk).update(full_value="/nonsense")
    parent = Node.objects.get(pk=tree[20].parent_id)
    Node.objects.filter(pk=tree[20].pk).update(key="77:1")
    assert as_org_admin.get(TREE).json() != right
    job = check()
    assert (job.state, job.outcome) == (JobState.SUCCEEDED, "corrected")
    fresh = Node.objects.get(pk=tree[20].pk)
    assert fresh.key.startswith(f"{Node.objects.get(pk=parent.pk).key}:")
    assert not assets.find_tree_faults(DEFAULT_ORG_ID).number
    root = next(each for each in tree if each.parent_id is None)
    assert list(AssetNode.objects.filter(asset_id=lost).values_list("node_id", flat=True)) == [root.pk]
    numbers = {one["meta"]["data"]["id"]: one["name"] for one in as_org_admin.get(TREE).json()}
    assert numbers[str(root.pk)] == f"{root.value} (7)"
    recorded = AuditEvent.objects.get(event="node.tree_corrected")
    assert recorded.new["faults"] == job.outcome_values["faults"] >= 4
    assert check().outcome == "whole"


def test_only_administrators_start_it(people: dict[str, Any], client_of: Callable[[Any], APIClient]) -> None:
    for name, status in (("user", 403), ("auditor", 403), ("org_admin", 200)):
        assert client_of(people[name]).post(CHECK).status_code == status
    assert client_of(None).post(CHECK).status_code == 401
    assert Asset.objects.count() == 0
    root = client_of(people["admin"]).post(CHECK, headers={"X-JMS-ORG": "00000000-0000-0000-0000-000000000000"})
    assert (root.status_code, root.json()["code"]) == (400, "root_org_read_only")
    assert Job.objects.count() == 1
