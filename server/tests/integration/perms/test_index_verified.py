"""`postern perms verify` finds what differs between the index and the tables, and changes nothing."""

import argparse
from collections.abc import Callable

import pytest

from factories.grants import grant, make_asset, make_node, make_system_user
from postern.apps.assets.models import Asset, AssetNode, NodePath
from postern.apps.perms.facade import verify_index
from postern.apps.perms.granted import verifying
from postern.apps.users.models import User
from postern.entrypoints import cli
from postern.foundation import installation
from postern.foundation.settings import Settings

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def reached(make_user: Callable[..., User]) -> Asset:
    """An asset that ann reaches through a node."""
    installation.run()
    web = make_node("web")
    asset = make_asset("w1", nodes=[web])
    grant(users=[make_user("ann")], nodes=[web], system_users=[make_system_user()])
    return asset


def _run(*arguments: str) -> int:
    parsed: argparse.Namespace = cli._parser().parse_args(["perms", "verify", *arguments])
    status: int = parsed.run(parsed, Settings.load({}))
    return status


def test_verify_of_a_sound_installation_finds_nothing(reached: Asset, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("--user", "ann") == 0
    assert capsys.readouterr().out == "1 people, 1 assets in reach compared, 0 differences\n"
    assert _run() == 0
    assert _run("--user", "nobody") == 1
    assert "no account 'nobody'" in capsys.readouterr().out


def test_verify_names_the_row_that_differs(reached: Asset, capsys: pytest.CaptureFixture[str]) -> None:
    # By a hand in the database: the decision goes along these rows, the index along the parents of nodes.
    NodePath.objects.filter(descendant__asset_rows__asset=reached).exclude(ancestor__parent=None).delete()
    assert _run("--user", "ann") == 1
    out = capsys.readouterr().out
    assert "ann: asset w1: in reach only by the index" in out
    assert "differences" in out


def test_verify_finds_a_write_that_the_list_of_changes_lacks(reached: Asset, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_meanwhile(_seconds: float) -> None:
        Asset.objects.filter(pk=reached.pk).update(is_active=False)  # without the list of changes
        AssetNode.objects.filter(asset=reached).delete()
        make_asset("w2")

    monkeypatch.setattr(verifying.time, "sleep", write_meanwhile)
    faults: list[str] = []
    verify_index(found=faults.append, username="ann", follow_s=1)
    assert f"asset {reached.pk}: active only in the index" in faults
    assert [line for line in faults if line.endswith("direct assets differ")]
