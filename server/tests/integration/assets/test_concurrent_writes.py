"""Concurrent writes of a tree from many threads, with real transactions on both databases."""

from functools import partial

import asyncssh
import pytest
from django.db import transaction

from factories.at_once import at_once
from factories.grants import make_asset, make_node
from postern.apps.assets import facade
from postern.apps.assets.models import Asset, HostKey, Node, NodePath, TreeVersion
from postern.apps.assets.nodes.actions import root_of
from postern.apps.assets.tree import change_log
from postern.apps.assets.tree.actions import create_node, move_nodes
from postern.apps.assets.tree.errors import NodeRefused
from postern.contracts.enums import HostKeyVerdict
from postern.foundation import installation
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _installed() -> None:
    """Restore the rows of every installation, because tests with real transactions empty the tables."""
    installation.run()


def test_nodes_and_assets_created_concurrently_get_different_keys_and_numbers() -> None:
    root = root_of(DEFAULT_ORG_ID)
    nodes = at_once(*[lambda: create_node(actor=SYSTEM, parent=root, value=None)] * 6)
    assert len({node.key for node in nodes}) == len({node.value for node in nodes}) == 6
    assets = at_once(*(partial(make_asset, f"host-{number}-at-once") for number in range(6)))
    assert len({asset.dense_id for asset in assets}) == 6
    assert Asset.objects.count() == 6


def test_opposite_concurrent_moves_never_make_a_cycle() -> None:
    a, b = make_node("a"), make_node("b")

    def move(number: int) -> bool:
        node, target = (a, b) if number % 2 else (b, a)
        try:
            move_nodes(actor=SYSTEM, target=target, nodes=[node])
        except NodeRefused:
            return False
        return True

    assert any(at_once(*(partial(move, number) for number in range(6))))
    root = root_of(DEFAULT_ORG_ID)
    assert NodePath.objects.filter(ancestor=root).count() == Node.objects.count() == 3


def test_k52_of_concurrent_first_keys_one_is_pinned_and_the_others_are_refused() -> None:
    asset = make_asset()
    lines = [asyncssh.generate_private_key("ssh-ed25519").export_public_key("openssh").decode() for _ in range(6)]

    def show(number: int) -> HostKeyVerdict:
        return facade.check_host_key(
            actor=SYSTEM, asset_id=asset.pk, host="h", port=22, via="", public_key=lines[number]
        ).verdict

    verdicts = at_once(*(partial(show, number) for number in range(6)))
    assert sorted(verdicts) == sorted([HostKeyVerdict.PINNED] + [HostKeyVerdict.CHANGED] * 5)
    assert HostKey.objects.count() == 1


def test_version_is_incremented_by_every_commit_and_by_no_rollback() -> None:
    make_node()
    before = TreeVersion.objects.get(org_id=DEFAULT_ORG_ID).seq
    at_once(*[make_node] * 6)
    with transaction.atomic():
        change_log.begin(DEFAULT_ORG_ID)
        transaction.set_rollback(True)
    assert TreeVersion.objects.get(org_id=DEFAULT_ORG_ID).seq == before + 6
    with pytest.raises(transaction.TransactionManagementError):
        change_log.begin(DEFAULT_ORG_ID)
