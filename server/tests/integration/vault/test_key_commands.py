"""The commands `postern vault rotate` and `postern vault retire`."""

import json
import threading
from datetime import timedelta
from pathlib import Path
from unittest import mock

import pytest

from factories.grants import make_system_user
from postern.apps.audits.models import AuditEvent
from postern.apps.vault import facade
from postern.apps.vault.models import SealedSecret
from postern.apps.vault.sealed_secrets import secret_store
from postern.apps.vault.sealed_secrets.actions import rotation as keys
from postern.apps.vault.sealed_secrets.keyring import Keyring
from postern.entrypoints import cli
from postern.kernel.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of a key file for this test only."""
    ring = secret_store._keyring_at(tmp_path / "kek.json")
    ring.create()
    monkeypatch.setattr(cli, "_django", lambda: None)  # the test's own Django is loaded
    for module in (secret_store, keys):
        monkeypatch.setattr(module, "keyring", lambda: ring)
    return tmp_path / "kek.json"


def versions(key_file: Path) -> set[str]:
    return set(json.loads(key_file.read_text())["keys"])


def test_old_key_is_retired_when_no_secret_is_sealed_with_it(
    key_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    system_user = make_system_user(password="marker of the target")
    assert cli.main(["vault", "retire"]) == 0
    assert "removed keys: none" in capsys.readouterr().out
    assert cli.main(["vault", "rotate"]) == 0
    assert "key 2 is current; 1 secrets were rewrapped with it" in capsys.readouterr().out
    assert versions(key_file) == {"1", "2"}
    with mock.patch.object(keys, "now", return_value=now() + timedelta(minutes=11)):
        assert cli.main(["vault", "retire"]) == 0
    assert "removed keys: 1" in capsys.readouterr().out
    assert versions(key_file) == {"2"}
    opened = facade.open_credential(system_user_id=system_user.pk, asset_id=None, username="ann")
    assert opened.password == "marker of the target"
    event = AuditEvent.objects.get(event="vault.keys_retired")
    assert (event.user, event.new) == ("System", {"versions": [1]})


def test_key_in_use_is_not_retired(key_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_system_user(password="marker of the target")
    assert cli.main(["vault", "rotate"]) == 0
    SealedSecret.objects.update(kek_version=1)
    with mock.patch.object(keys, "now", return_value=now() + timedelta(minutes=11)):
        assert cli.main(["vault", "retire"]) == 1
    assert capsys.readouterr().err.startswith("postern: ")
    assert versions(key_file) == {"1", "2"}
    assert not AuditEvent.objects.filter(event="vault.keys_retired").exists()


def test_key_is_not_retired_before_slow_requests_have_ended(key_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["vault", "rotate"]) == 0
    capsys.readouterr()
    assert cli.main(["vault", "retire"]) == 1
    assert "postern: " in capsys.readouterr().err
    assert versions(key_file) == {"1", "2"}


def test_keys_added_concurrently_are_all_kept(tmp_path: Path) -> None:
    """Each keyring stands for a process. A key that one process seals with must not be removed by another."""
    path = tmp_path / "kek.json"
    Keyring(path).create()
    rings, together = [Keyring(path) for _ in range(8)], threading.Barrier(8)
    added: list[tuple[int, bytes]] = []

    def add(ring: Keyring) -> None:
        together.wait()
        for _ in range(5):
            key = ring.add_version()
            added.append((key.version, key.raw()))

    threads = [threading.Thread(target=add, args=(ring,)) for ring in rings]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(version for version, _raw in added) == list(range(2, 42))
    final_ring = Keyring(path)
    assert all(final_ring.version(version).raw() == raw for version, raw in added)
