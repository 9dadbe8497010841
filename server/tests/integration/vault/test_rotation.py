import json
from datetime import timedelta
from pathlib import Path
from unittest import mock

import pytest
from django.conf import settings

from factories.grants import make_system_user
from postern.apps.audits.models import AuditEvent
from postern.apps.vault import facade
from postern.apps.vault.models import SealedSecret
from postern.apps.vault.sealed_secrets import installation, secret_store
from postern.apps.vault.sealed_secrets.actions import rotation as keys
from postern.apps.vault.sealed_secrets.errors import KeyStillUsed, SecretUnreadable
from postern.apps.vault.sealed_secrets.keyring import KeyringUnusable
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.clock import now
from postern.kernel.ids import DEFAULT_ORG_ID, new_id
from postern.kernel.secret import Secret

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_key_file(tmp_path: Path) -> object:
    """Use a key file of this test, because rotation changes it."""
    ring = secret_store._keyring_at(tmp_path / "kek.json")
    ring.create()
    with (
        mock.patch.object(secret_store, "keyring", return_value=ring),
        mock.patch.object(keys, "keyring", return_value=ring),
    ):
        yield


def place(column: str = "password") -> facade.SecretPlace:
    return facade.SecretPlace(table="t", row_id=new_id(), org_id=DEFAULT_ORG_ID, column=column)


def test_k61_rotation_leaves_every_secret_readable_and_no_plaintext_anywhere() -> None:
    canary = "canary-5b1c"
    places = [place() for _ in range(600)]
    for number, secret_place in enumerate(places):
        facade.put_secret(secret_place, Secret(f"{canary}-{number}"))
    read_errors = 0
    batch = keys._rewrap_batch

    def batch_under_readers(version: int) -> int:
        nonlocal read_errors
        moved = batch(version)
        for secret_place in places[::97]:  # reads in the middle of the rotation
            secret = facade.get_secret(secret_place)
            read_errors += secret is None or canary not in secret.reveal()
        return moved

    with mock.patch.object(keys, "_rewrap_batch", batch_under_readers):
        report = facade.rotate(actor=SYSTEM)
    assert (report.version, report.rewrapped, read_errors) == (2, 600, 0)
    assert set(SealedSecret.objects.values_list("kek_version", flat=True)) == {2}
    for number, secret_place in enumerate(places):
        secret = facade.get_secret(secret_place)
        assert secret is not None
        assert secret.reveal() == f"{canary}-{number}"
    assert canary.encode() not in b"".join(
        bytes(row.ciphertext) + bytes(row.wrapped_key) for row in SealedSecret.objects.all()
    )
    path = settings.POSTERN.database.path
    if path is not None and path.exists():
        assert canary.encode() not in path.read_bytes()
    assert {"vault.key_added", "vault.secrets_rewrapped"} <= set(AuditEvent.objects.values_list("event", flat=True))


def test_rotation_continues_after_a_crash_between_key_and_secrets() -> None:
    secret_place = place()
    facade.put_secret(secret_place, Secret("kept"))
    secret_store.keyring().add_version()
    assert facade.rewrap_all(actor=SYSTEM).rewrapped == 1
    secret = facade.get_secret(secret_place)
    assert secret is not None
    assert secret.reveal() == "kept"


def test_retirement_waits_for_the_last_secret_and_for_slow_writers() -> None:
    secret_place = place()
    facade.put_secret(secret_place, Secret("kept"))
    assert facade.retire(actor=SYSTEM) == []
    secret_store.keyring().add_version()
    later = now() + timedelta(minutes=11)
    with pytest.raises(KeyStillUsed):
        facade.retire(actor=SYSTEM)
    with mock.patch.object(keys, "now", return_value=later):
        with pytest.raises(KeyStillUsed):
            facade.retire(actor=SYSTEM)
        facade.rewrap_all(actor=SYSTEM)
        assert facade.retire(actor=SYSTEM) == [1]
    with pytest.raises(KeyringUnusable):
        secret_store.keyring().version(1)
    secret = facade.get_secret(secret_place)
    assert secret is not None
    assert secret.reveal() == "kept"


@pytest.mark.parametrize("columns", [("wrapped_key", "ciphertext"), ("ciphertext",), ("wrapped_key",)])
def test_sealed_secret_moved_to_another_row_does_not_open(columns: tuple[str, ...]) -> None:
    mine, other = place(), place()
    facade.put_secret(mine, Secret("mine"))
    facade.put_secret(other, Secret("other"))
    row = SealedSecret.objects.get(row_id=mine.row_id)
    source = SealedSecret.objects.get(row_id=other.row_id)
    for column in columns:
        setattr(row, column, getattr(source, column))
    row.save()
    with pytest.raises(SecretUnreadable):
        facade.get_secret(mine)


@pytest.mark.parametrize(
    "change", [{"org_id": new_id()}, {"column": "token"}, {"row_id": new_id()}, {"table": "other"}]
)
def test_sealed_secret_relabelled_in_the_database_does_not_open(change: dict[str, object]) -> None:
    mine = place()
    facade.put_secret(mine, Secret("mine"))
    SealedSecret.objects.filter(row_id=mine.row_id).update(**change)
    moved = facade.SecretPlace(
        **{"table": mine.table, "row_id": mine.row_id, "org_id": mine.org_id, "column": mine.column, **change}  # type: ignore[arg-type]  # varied by field
    )
    with pytest.raises(SecretUnreadable):
        facade.get_secret(moved)


def test_lost_key_file_gets_a_clear_error_without_details(tmp_path: Path) -> None:
    system_user = make_system_user(password="canary-9")
    (tmp_path / "kek.json").unlink()
    with pytest.raises(KeyringUnusable) as caught:
        facade.open_credential(system_user_id=system_user.pk, asset_id=None, username="ann")
    assert "canary" not in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_installation_with_secrets_but_no_key_file_creates_no_new_key(tmp_path: Path) -> None:
    make_system_user()
    ring = secret_store.keyring()
    document = json.loads((tmp_path / "kek.json").read_text())
    assert document["current"] == 1
    (tmp_path / "kek.json").unlink()
    with mock.patch.object(installation, "keyring", return_value=ring):
        installation.ensure()
        assert not ring.exists()
        SealedSecret.objects.all().delete()
        installation.ensure()
        assert ring.exists()
