"""Concurrent bulk writes of assets, labels and nodes wait for each other without a deadlock (PostgreSQL)."""

import pytest

from factories.browser import Browser
from factories.grants import make_asset, make_node
from factories.meetings import Meeting, statuses
from factories.two_administrators import ids, items
from postern.apps.assets.assets.actions import assets as asset_actions
from postern.apps.assets.labels import actions as label_actions
from postern.apps.assets.models import Label
from postern.apps.assets.tree import actions as tree
from postern.apps.audits import facade as audits
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import DEFAULT
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("row_locks")]
API = "/api/v1/"
ASSETS = f"{API}assets/assets/"
LABELS = f"{API}assets/labels/"
NODES = f"{API}assets/nodes/"


def test_asset_deleted_concurrently_is_audited_once(first_admin: Browser, second_admin: Browser, meeting: Meeting):
    row = make_asset()
    meeting(asset_actions, "delete_asset")
    url = f"{ASSETS}{row.pk}/"
    assert statuses(lambda: first_admin.delete(url), lambda: second_admin.delete(url)) == [204, 404]
    assert audits.operate_events(SYSTEM, DEFAULT).filter(event="asset.deleted").count() == 1


@pytest.mark.usefixtures("licensed")
def test_two_organizations_created_concurrently_both_succeed(
    first_admin: Browser, second_admin: Browser, meeting: Meeting
):
    meeting(tree, "_next_root_key")
    url = f"{API}orgs/orgs/"
    assert statuses(
        lambda: first_admin.post(url, {"name": "North"}, format="json"),
        lambda: second_admin.post(url, {"name": "South"}, format="json"),
    ) == [201, 201]


def test_concurrent_changes_of_labels_in_opposite_order_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, meeting: Meeting
):
    rows = [Label.objects.create(org_id=DEFAULT_ORG_ID, name="role", value=str(number)) for number in range(3)]
    meeting(label_actions.LABELS, "update")
    assert statuses(
        lambda: first_admin.patch(LABELS, items(rows, comment="one"), format="json"),
        lambda: second_admin.patch(LABELS, items(rows[::-1], comment="other"), format="json"),
    ) == [200, 200]


def test_deletion_of_labels_and_concurrent_assignment_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, meeting: Meeting
):
    labels = [Label.objects.create(org_id=DEFAULT_ORG_ID, name="role", value=str(number)) for number in range(2)]
    assets = [make_asset(), make_asset()]
    for asset, label in zip(assets, labels, strict=True):
        asset.labels.add(label)
    meeting(label_actions.LABELS, "delete")
    meeting(asset_actions.belongings, "replace")
    changes = [
        {"id": str(asset.pk), "labels": [str(label.pk)]} for asset, label in zip(assets, labels[::-1], strict=True)
    ]
    answered = statuses(
        lambda: first_admin.delete(f"{LABELS}?ids={ids(labels)}"),
        lambda: second_admin.patch(ASSETS, changes, format="json"),
    )
    assert answered in ([200, 204], [204, 400], [204, 404])


def test_concurrent_changes_of_nodes_in_opposite_order_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, meeting: Meeting
):
    rows = [make_node(f"node{number}") for number in range(3)]
    meeting(tree, "rename_node")
    changes = [{"id": str(row.pk), "value": f"new{number}"} for number, row in enumerate(rows)]
    assert statuses(
        lambda: first_admin.patch(NODES, changes, format="json"),
        lambda: second_admin.patch(NODES, changes[::-1], format="json"),
    ) == [200, 200]
