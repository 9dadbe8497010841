"""Accounts that follow from the nodes of system users."""

import pytest
from rest_framework.test import APIClient

from factories.grants import make_asset, make_node, make_system_user
from postern.apps.assets.assets.actions.assets import update_asset
from postern.apps.assets.models import Asset, Node
from postern.apps.assets.tree.actions import move_nodes
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.actions import create_organization
from postern.apps.vault.accounts import of_nodes
from postern.apps.vault.accounts.actions import update_account
from postern.apps.vault.models import Account, SystemUser, SystemUserAsset, SystemUserNode
from postern.apps.vault.system_users.actions import bind, unbind
from postern.apps.vault.tasks import accounts_of_nodes
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

RELATIONS = "/api/v1/assets/system-users-nodes-relations/"


def tie(system_user: SystemUser, node: Node) -> SystemUserNode:
    row = bind(actor=SYSTEM, row=SystemUserNode(systemuser=system_user, node=node))
    assert isinstance(row, SystemUserNode)
    return row


def hostnames(system_user: SystemUser) -> set[str]:
    return set(Account.objects.filter(systemuser=system_user).values_list("asset__hostname", flat=True))


def place(asset: Asset, *nodes: Node) -> None:
    update_asset(actor=SYSTEM, asset=asset, values={"nodes": list(nodes)})


def test_binding_a_node_adds_accounts_for_everything_below_it(as_org_admin: APIClient) -> None:
    north, south = make_node("north"), make_node("south")
    rack = make_node("rack", parent=north)
    make_asset("a", nodes=[north]), make_asset("b", nodes=[rack, north]), make_asset("c", nodes=[south])
    system_user = make_system_user()
    made = as_org_admin.post(RELATIONS, {"node": str(north.pk), "systemuser": str(system_user.pk)})
    assert made.status_code == 201, made.data
    assert hostnames(system_user) == set()  # the request does not wait for it
    assert accounts_of_nodes() == 2
    assert hostnames(system_user) == {"a", "b"}
    assert accounts_of_nodes() == 0
    assert of_nodes.due() == []
    told = AuditEvent.objects.get(event="systemuser.accounts_added")
    assert (told.new, told.user) == ({"accounts": 2}, "System")


def test_accounts_follow_assets_that_are_added_moved_and_taken_out() -> None:
    north, south, system_user = make_node("north"), make_node("south"), make_system_user()
    tie(system_user, north)
    asset = make_asset("a", nodes=[south])
    accounts_of_nodes()
    assert hostnames(system_user) == set()
    place(asset, north)
    make_asset("b", nodes=[north])
    accounts_of_nodes()
    assert hostnames(system_user) == {"a", "b"}
    place(asset, south)
    accounts_of_nodes()
    assert hostnames(system_user) == {"b"}
    move_nodes(actor=SYSTEM, target=north, nodes=[south])
    accounts_of_nodes()
    assert hostnames(system_user) == {"a", "b"}


def test_unbinding_removes_what_nothing_else_justifies() -> None:
    north, south, system_user = make_node("north"), make_node("south"), make_system_user()
    other = make_system_user()
    only, twice, direct, with_secret = (
        make_asset(name, nodes=[north]) for name in ("only", "twice", "direct", "secret")
    )
    place(twice, north, south)
    first = tie(system_user, north)
    tie(system_user, south), tie(other, north)
    bind(actor=SYSTEM, row=SystemUserAsset(systemuser=system_user, asset=direct))
    accounts_of_nodes()
    account = Account.objects.get(systemuser=system_user, asset=with_secret)
    update_account(actor=SYSTEM, account=account, values={"password": "own"})
    unbind(actor=SYSTEM, row=first)
    assert of_nodes.due() == [DEFAULT_ORG_ID]
    accounts_of_nodes()
    assert hostnames(system_user) == {"twice", "direct", "secret"}
    assert hostnames(other) == {"only", "twice", "direct", "secret"}
    told = AuditEvent.objects.get(event="systemuser.accounts_removed")
    assert (told.old, told.resource_id) == ({"accounts": 1}, str(system_user.pk))
    assert only.hostname not in hostnames(system_user)


def test_binding_an_asset_that_a_node_gave_already_keeps_the_account() -> None:
    north, system_user = make_node("north"), make_system_user()
    asset = make_asset("a", nodes=[north])
    node_row = tie(system_user, north)
    accounts_of_nodes()
    before = Account.objects.get()
    bind(actor=SYSTEM, row=SystemUserAsset(systemuser=system_user, asset=asset))
    unbind(actor=SYSTEM, row=node_row)
    accounts_of_nodes()
    assert Account.objects.get() == before


def test_many_assets_come_in_batches_and_a_run_that_stopped_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_nodes, "BATCH", 3)
    north, system_user = make_node("north"), make_system_user()
    for number in range(8):
        make_asset(f"h{number}", nodes=[north])
    row = tie(system_user, north)
    batches = of_nodes._missing(system_user)
    assert of_nodes._add(system_user, next(batches)) == 3  # and then the worker was lost
    assert of_nodes.due() == [DEFAULT_ORG_ID]
    assert accounts_of_nodes() == 5
    assert [account.asset.hostname for account in Account.objects.all()] == [f"h{number}" for number in range(8)]
    unbind(actor=SYSTEM, row=row)
    assert accounts_of_nodes() == 8
    counts = [event.old["accounts"] for event in AuditEvent.objects.filter(event="systemuser.accounts_removed")]
    assert sorted(counts) == [2, 3, 3]


def test_change_during_a_run_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    north, south, system_user = make_node("north"), make_node("south"), make_system_user()
    make_asset("a", nodes=[north]), make_asset("b", nodes=[south])
    tie(system_user, north)
    real = of_nodes._remove

    def meanwhile(org_id: object) -> int:
        monkeypatch.setattr(of_nodes, "_remove", real)
        tie(system_user, south)
        return real(DEFAULT_ORG_ID)

    monkeypatch.setattr(of_nodes, "_remove", meanwhile)
    accounts_of_nodes()
    assert of_nodes.due() == [DEFAULT_ORG_ID]
    accounts_of_nodes()
    assert hostnames(system_user) == {"a", "b"}


def test_accounts_of_other_organizations_are_left_alone() -> None:
    org = create_organization(actor=SYSTEM, name="other").pk
    there = make_system_user("there", org_id=org)
    asset = make_asset("theirs", org_id=org)
    bind(actor=SYSTEM, row=SystemUserAsset(systemuser=there, asset=asset))
    Account.objects.update(is_direct=False)
    tie(make_system_user(), make_node("north"))
    accounts_of_nodes()
    assert hostnames(there) == {"theirs"}
