"""Secrets in HashiCorp Vault: writes, failures, moving while they are read, and what is left behind."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest import mock

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.utils import translation
from rest_framework.test import APIClient

from factories.secret_stores import secrets_in, vault_settings
from peers import secret_mover
from peers.vault_server import ROOT_TOKEN, Vault, serving
from postern.apps.audits.models import AuditEvent
from postern.apps.vault import facade
from postern.apps.vault.models import SealedSecret, SystemUser, UnusedPath
from postern.apps.vault.sealed_secrets import providers, secret_store
from postern.apps.vault.sealed_secrets.actions import moving, rotation, tidying
from postern.apps.vault.sealed_secrets.errors import MoveRefused, SecretGone, SecretStoreMissing, SecretUnreadable
from postern.apps.vault.sealed_secrets.totp_secrets import SealedTotpSecrets
from postern.entrypoints import cli
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.configuration.secret_store import SecretStore, VaultSettings
from postern.integrations.hashicorp_vault.errors import VaultUnavailable
from postern.kernel.clock import monotonic_s, now
from postern.kernel.errors import Unavailable
from postern.kernel.ids import DEFAULT_ORG_ID, new_id
from postern.kernel.secret import Secret

pytestmark = pytest.mark.django_db
LOCAL, KV2, TRANSIT = SecretStore.LOCAL, SecretStore.VAULT_KV2, SecretStore.VAULT_TRANSIT
LATER = timedelta(days=8)


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.fixture(autouse=True)
def key_file(tmp_path: Path) -> Iterator[Path]:
    """Use a key file of this test, because rotation changes it."""
    ring = secret_store._keyring_at(tmp_path / "kek.json")
    ring.create()
    modules = (secret_store, rotation, moving)
    patches = [mock.patch.object(module, "keyring", return_value=ring) for module in modules]
    for patch in patches:
        patch.start()
    yield tmp_path / "kek.json"
    for patch in patches:
        patch.stop()


@pytest.fixture
def vault() -> Vault:
    return Vault()


@pytest.fixture
def reached(vault: Vault) -> Iterator[VaultSettings]:
    """How the stand-in is reached."""
    with serving(vault) as address:
        yield vault_settings(address)
    assert vault.faults == []


def new_place(column: str = "password") -> facade.SecretPlace:
    return facade.SecretPlace(table="vault_systemuser", row_id=new_id(), org_id=DEFAULT_ORG_ID, column=column)


def put_many(number: int) -> dict[facade.SecretPlace, str]:
    """Secrets by their place."""
    values = {new_place(): f"canary-{index}" for index in range(number)}
    for place, value in values.items():
        facade.put_secret(place, Secret(value))
    return values


def put_and_roll_back(place: facade.SecretPlace, value: str) -> None:
    with transaction.atomic():
        facade.put_secret(place, Secret(value))
        transaction.set_rollback(True)


def read(place: facade.SecretPlace) -> str | None:
    secret = facade.get_secret(place)
    return secret.reveal() if secret is not None else None


def stores() -> dict[str, int]:
    return {store.value: count for store, count in facade.store_overview().counts.items()}


class TestStoring:
    @pytest.mark.parametrize("store", [KV2, TRANSIT])
    def test_new_secret_lies_in_the_store_and_is_not_in_the_database(
        self, vault: Vault, reached: VaultSettings, store: SecretStore
    ) -> None:
        place = new_place()
        with secrets_in(store, reached):
            facade.put_secret(place, Secret("canary-1"))
            assert read(place) == "canary-1"
            facade.put_secret(place, Secret("canary-2"))
            assert read(place) == "canary-2"
        row = SealedSecret.objects.get()
        assert (row.provider, row.kek_version) == (store.value, 0)
        assert b"canary" not in bytes(row.ciphertext) + bytes(row.wrapped_key)
        assert vault.values() == (["canary-1", "canary-2"] if store is KV2 else [])

    @pytest.mark.parametrize("store", [KV2, TRANSIT])
    def test_secrets_that_postern_signs_users_in_with_stay_local(
        self, vault: Vault, reached: VaultSettings, store: SecretStore
    ) -> None:
        device = new_id()
        with secrets_in(store, reached):
            SealedTotpSecrets().put(device, Secret("seed"))
            facade.move(actor=SYSTEM, to=store)
            vault.sealed = True
            seed = SealedTotpSecrets().get(device)
        assert seed is not None
        assert seed.reveal() == "seed"
        assert stores() == {"local": 1}

    @pytest.mark.parametrize("store", [KV2, TRANSIT])
    def test_former_secret_survives_any_number_of_rollbacks(
        self, vault: Vault, reached: VaultSettings, store: SecretStore
    ) -> None:
        place = new_place()
        with secrets_in(store, reached):
            facade.put_secret(place, Secret("former"))
            for number in range(12):
                put_and_roll_back(place, f"rolled back {number}")
            assert read(place) == "former"

    def test_secret_in_a_store_that_the_settings_do_not_name_is_told(self, reached: VaultSettings) -> None:
        place = new_place()
        with secrets_in(KV2, reached):
            facade.put_secret(place, Secret("mine"))
        with secrets_in(LOCAL, None), pytest.raises(SecretStoreMissing, match="POSTERN_VAULT_ADDR"):
            facade.get_secret(place)

    def test_k23_removed_certificate_file_is_told_to_operators_only(
        self, reached: VaultSettings, tmp_path: Path
    ) -> None:
        without_file = replace(reached, ca_file=tmp_path / "gone.pem")
        with secrets_in(KV2, without_file), pytest.raises(VaultUnavailable) as caught:
            facade.put_secret(new_place(), Secret("mine"))
        assert "POSTERN_VAULT_CA_FILE" in caught.value.reason
        assert "gone.pem" not in caught.value.message

    def test_reading_a_local_secret_is_one_query_and_loads_no_client(
        self, django_assert_num_queries: Callable[[int], Iterator[None]]
    ) -> None:
        place = new_place()
        facade.put_secret(place, Secret("mine"))
        with django_assert_num_queries(1):  # type: ignore[attr-defined]  # a context manager
            assert read(place) == "mine"


class TestVaultDown:
    @pytest.fixture
    def down(self, vault: Vault, reached: VaultSettings) -> Iterator[Vault]:
        with secrets_in(KV2, reached):
            yield vault

    def test_secret_of_a_target_is_refused_in_time_and_local_ones_are_read(
        self, down: Vault, reached: VaultSettings
    ) -> None:
        place, local = new_place(), new_id()
        facade.put_secret(place, Secret("mine"))
        SealedTotpSecrets().put(local, Secret("seed"))
        down.hanging = threading.Event()
        started = monotonic_s()
        hasty, message = replace(reached, timeout_s=1), "The secret store cannot be reached"
        with secrets_in(KV2, hasty), pytest.raises(VaultUnavailable, match=message):
            facade.get_secret(place)
        assert monotonic_s() - started < 5
        assert SealedTotpSecrets().get(local) is not None

    def test_write_is_answered_with_503_and_changes_nothing(
        self, down: Vault, reached: VaultSettings, as_org_admin: APIClient
    ) -> None:
        down.refusals = [500] * 1000
        as_org_admin.credentials(HTTP_ACCEPT_LANGUAGE="en")
        body = {"name": "web", "username": "web", "protocol": "ssh", "login_mode": "auto", "password": "canary-9"}
        with secrets_in(KV2, replace(reached, timeout_s=1)):
            answer = as_org_admin.post("/api/v1/assets/system-users/", body, format="json")
        assert answer.status_code == 503, answer.content
        assert answer.json()["code"] == "secret_store_unavailable"
        assert "administrator" in answer.json()["detail"]
        assert answer["Retry-After"]
        assert b"canary" not in answer.content
        assert not SystemUser.objects.filter(name="web").exists()
        body |= {"login_mode": "manual", "password": ""}
        assert as_org_admin.post("/api/v1/assets/system-users/", body, format="json").status_code == 201

    def test_delete_needs_no_vault(self, down: Vault) -> None:
        place = new_place()
        facade.put_secret(place, Secret("mine"))
        down.sealed = True
        facade.drop_secrets(place)
        assert facade.get_secret(place) is None


class TestMoving:
    @pytest.mark.parametrize(
        "way", [(KV2, LOCAL), (TRANSIT, LOCAL), (KV2, TRANSIT, KV2), (TRANSIT, KV2, LOCAL, TRANSIT)]
    )
    @pytest.mark.parametrize("tidied", [True, False], ids=["tidied between", "not tidied"])
    def test_secrets_are_readable_after_every_move(
        self, reached: VaultSettings, way: tuple[SecretStore, ...], *, tidied: bool
    ) -> None:
        values = put_many(15)
        for store in way:
            with secrets_in(store, reached):
                report = facade.move(actor=SYSTEM, to=store)
                assert (report.moved, report.left, report.unreadable) == (15, 0, ())
                if tidied:
                    with mock.patch.object(tidying, "now", return_value=now() + LATER):
                        facade.tidy(actor=SYSTEM)
                assert {place: read(place) for place in values} == values
            assert stores() == {store.value: 15}
        counts = [event.new["count"] for event in AuditEvent.objects.filter(event="vault.secrets_moved")]
        assert sum(counts) == 15 * len(way)

    def test_move_is_refused_while_new_secrets_go_elsewhere(self, reached: VaultSettings) -> None:
        with secrets_in(LOCAL, reached), pytest.raises(MoveRefused, match="POSTERN_SECRET_STORE=vault-kv2"):
            facade.move(actor=SYSTEM, to=KV2)

    def test_secret_that_is_replaced_during_the_move_is_not_lost(
        self, reached: VaultSettings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        places = list(put_many(5))
        take = moving._take

        def replaced_before(*arguments: object, **options: object) -> int:
            with secrets_in(LOCAL, reached):  # a service that has not been restarted yet
                facade.put_secret(places[0], Secret("replaced"))
            facade.drop_secrets(places[1])
            monkeypatch.setattr(moving, "_take", take)
            return take(*arguments, **options)  # type: ignore[arg-type]  # passed on

        with secrets_in(KV2, reached):
            monkeypatch.setattr(moving, "_take", replaced_before)
            report = facade.move(actor=SYSTEM, to=KV2)
            assert (report.moved, report.left) == (4, 0)
            assert (read(places[0]), read(places[1])) == ("replaced", None)

    def test_unreadable_secret_is_named_and_the_others_move(self, reached: VaultSettings) -> None:
        places = list(put_many(3))
        SealedSecret.objects.filter(row_id=places[1].row_id).update(ciphertext=b"x" * 40)
        with secrets_in(TRANSIT, reached):
            report = facade.move(actor=SYSTEM, to=TRANSIT)
        assert (report.moved, report.left, len(report.unreadable)) == (2, 1, 1)
        assert str(places[1].row_id) in report.unreadable[0]

    def test_store_that_returns_another_value_changes_no_row(
        self, vault: Vault, reached: VaultSettings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        values = put_many(3)
        answer = vault._data

        def altered(method: str, path: str, query: str, body: dict[str, dict[str, str]]) -> object:
            if method == "POST":
                body["data"]["value"] += "?"
            return answer(method, path, query, body)

        monkeypatch.setattr(vault, "_data", altered)
        with secrets_in(KV2, reached), pytest.raises(Unavailable):
            facade.move(actor=SYSTEM, to=KV2)
        assert stores() == {"local": 3}
        assert {place: read(place) for place in values} == values

    def test_move_that_vault_interrupts_is_continued(self, vault: Vault, reached: VaultSettings) -> None:
        values = put_many(30)
        with secrets_in(KV2, reached), mock.patch.object(moving, "_BATCH", 10):
            write = vault._data

            def seals(method: str, path: str, query: str, body: object) -> dict[str, object]:
                vault.sealed = len(vault.documents) == 14
                return write(method, path, query, body)

            with mock.patch.object(vault, "_data", seals), pytest.raises(VaultUnavailable):
                facade.move(actor=SYSTEM, to=KV2)
            assert stores() == {"local": 20, "vault-kv2": 10}
            vault.sealed = False
            providers._client_of.cache_clear()
            assert facade.move(actor=SYSTEM, to=KV2).moved == 20
            assert {place: read(place) for place in values} == values

    def test_secrets_move_back_from_a_lost_vault_while_the_local_copies_are_kept(
        self, vault: Vault, reached: VaultSettings
    ) -> None:
        values = put_many(5)
        with secrets_in(KV2, reached):
            facade.move(actor=SYSTEM, to=KV2)
        vault.documents.clear()
        vault.sealed = True
        with secrets_in(LOCAL, reached):
            assert facade.move(actor=SYSTEM, to=LOCAL).moved == 5
        with secrets_in(LOCAL, None):
            assert {place: read(place) for place in values} == values

    def test_service_with_the_former_settings_reads_local_copies(self, reached: VaultSettings) -> None:
        values = put_many(3)
        for store in (KV2, TRANSIT):
            with secrets_in(store, reached):
                facade.move(actor=SYSTEM, to=store)
            with secrets_in(LOCAL, None):
                assert {place: read(place) for place in values} == values
        with mock.patch.object(tidying, "now", return_value=now() + LATER), secrets_in(TRANSIT, reached):
            facade.tidy(actor=SYSTEM)
        with secrets_in(LOCAL, None), pytest.raises(SecretStoreMissing):
            facade.get_secret(next(iter(values)))

    def test_row_with_an_unknown_store_is_reported(self) -> None:
        place = next(iter(put_many(1)))
        SealedSecret.objects.update(provider="elsewhere")
        with pytest.raises(SecretUnreadable):
            facade.get_secret(place)

    def test_rotation_of_the_key_file_includes_local_copies(self, reached: VaultSettings) -> None:
        values = put_many(6)
        with secrets_in(KV2, reached):
            facade.move(actor=SYSTEM, to=KV2)
            other = new_place()
            facade.put_secret(other, Secret("never local"))
            assert facade.rotate(actor=SYSTEM).rewrapped == 6
            with mock.patch.object(rotation, "now", return_value=now() + timedelta(minutes=11)):
                assert facade.retire(actor=SYSTEM) == [1]
            assert read(other) == "never local"
        with secrets_in(LOCAL, reached):
            facade.move(actor=SYSTEM, to=LOCAL)
        with secrets_in(LOCAL, None):
            assert {place: read(place) for place in values} == values

    def test_transit_secrets_are_rewrapped_with_the_newest_key(self, vault: Vault, reached: VaultSettings) -> None:
        with secrets_in(TRANSIT, reached), mock.patch.object(moving, "_BATCH", 4):
            values = put_many(10)
            vault.rotate()
            report = facade.rewrap(actor=SYSTEM)
            assert (report.version, report.rewrapped, report.unreadable) == (2, 10, ())
            assert facade.rewrap(actor=SYSTEM).rewrapped == 0
            vault.keys[0] = b"\0" * 32  # the first key is gone
            assert {place: read(place) for place in values} == values
        assert set(SealedSecret.objects.values_list("reference_version", flat=True)) == {2}
        counts = [event.new["count"] for event in AuditEvent.objects.filter(event="vault.secrets_rewrapped")]
        assert sum(counts) == 10


class TestReadersAndMoves:
    def test_secret_that_moved_after_its_row_was_read_is_read_where_it_is_now(
        self, vault: Vault, reached: VaultSettings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place = new_place()
        with secrets_in(KV2, reached):
            facade.put_secret(place, Secret("mine"))
            open_row = secret_store.open_row

            def moved_before(row: SealedSecret, at: facade.SecretPlace) -> Secret:
                monkeypatch.setattr(secret_store, "open_row", open_row)
                with secrets_in(LOCAL, reached):
                    facade.move(actor=SYSTEM, to=LOCAL)
                vault.documents.clear()
                return open_row(row, at)

            monkeypatch.setattr(secret_store, "open_row", moved_before)
            assert read(place) == "mine"

    def test_secret_that_is_gone_in_vault_is_told(self, vault: Vault, reached: VaultSettings) -> None:
        place = new_place()
        with secrets_in(KV2, reached):
            facade.put_secret(place, Secret("mine"))
            vault.documents.clear()
            with pytest.raises(SecretGone):
                facade.get_secret(place)

    @pytest.mark.django_db(transaction=True)
    def test_no_read_fails_while_secrets_move_and_are_tidied(self, reached: VaultSettings) -> None:
        values = put_many(60)
        places, failures, count, stopped = list(values), list[str](), [0] * 3, threading.Event()

        def reader(number: int) -> None:
            try:
                while not stopped.is_set():
                    for place in places[number::3]:
                        if read(place) != values[place]:
                            failures.append("wrong value")
                        count[number] += 1
            except Exception as error:  # noqa: BLE001 - any failure is what is tested
                failures.append(repr(error))
            finally:
                connection.close()

        threads = [threading.Thread(target=reader, args=(number,)) for number in range(3)]
        with mock.patch.object(moving, "_BATCH", 9), secrets_in(LOCAL, reached):
            for thread in threads:
                thread.start()
            for store in (KV2, TRANSIT, KV2, LOCAL):
                with secrets_in(store, reached):
                    facade.move(actor=SYSTEM, to=store)
                    # Two rounds: the first notes unused paths, the second removes them at once.
                    for days in (0, 8):
                        with mock.patch.object(tidying, "now", return_value=now() + timedelta(days=days)):
                            facade.tidy(actor=SYSTEM)
            stopped.set()
            for thread in threads:
                thread.join()
        assert failures == []
        assert min(count) > 0
        assert stores() == {"local": 60}

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize("store", [KV2, TRANSIT])
    def test_move_that_is_killed_at_any_point_leaves_every_secret_readable(
        self, vault: Vault, reached: VaultSettings, key_file: Path, tmp_path: Path, store: SecretStore
    ) -> None:
        values = put_many(60)
        environ = {
            **os.environ,
            "POSTERN_HOME": str(tmp_path),
            "POSTERN_KEK_FILE": str(key_file),
            "POSTERN_SECRET_STORE": store.value,
            "POSTERN_VAULT_ADDR": reached.address,
            "POSTERN_VAULT_TOKEN": ROOT_TOKEN,
        }
        name = str(connection.settings_dict["NAME"])
        vault.slow_s = 0.01
        for goal in (10, 31, 52):
            before = len(vault.asked)
            process = subprocess.Popen([sys.executable, str(secret_mover.__file__), name, store.value], env=environ)
            give_up_at = monotonic_s() + 60
            while len(vault.asked) - before < goal:
                assert process.poll() is None, "it ended before it was killed"
                assert monotonic_s() < give_up_at
                time.sleep(0.002)
            process.kill()
            process.wait()
            with secrets_in(store, reached):
                assert {place: read(place) for place in values} == values
        vault.slow_s = 0
        assert len(stores()) == 2, "the kills came too early or too late to show anything"
        with secrets_in(store, reached):
            assert facade.move(actor=SYSTEM, to=store).left == 0
            assert {place: read(place) for place in values} == values
        assert stores() == {store.value: 60}
        events = AuditEvent.objects.filter(event="vault.secrets_moved")
        assert sum(event.new["count"] for event in events) == 60


class TestTidying:
    def test_local_copies_are_cleared_after_their_time(self, reached: VaultSettings) -> None:
        values = put_many(4)
        with secrets_in(KV2, reached):
            facade.move(actor=SYSTEM, to=KV2)
            assert facade.tidy(actor=SYSTEM).copies == 0
            assert facade.store_overview().local_copies == 4
            with mock.patch.object(tidying, "now", return_value=now() + LATER):
                assert facade.tidy(actor=SYSTEM).copies == 4
            assert {place: read(place) for place in values} == values
        for row in SealedSecret.objects.all():
            assert (bytes(row.ciphertext), bytes(row.wrapped_key), row.kek_version) == (b"", b"", 0)
        assert AuditEvent.objects.get(event="vault.leftovers_removed").new == {"local_copies": 4}

    def test_unused_path_is_removed_after_its_time_and_no_other(self, vault: Vault, reached: VaultSettings) -> None:
        with secrets_in(KV2, reached):
            values = put_many(3)
            places = list(values)
            facade.put_secret(places[0], Secret("new"))
            facade.drop_secrets(places[1])
            put_and_roll_back(places[2], "rolled back")
            vault.documents["postern/of another installation/vault_systemuser/x"] = next(iter(vault.documents.values()))
            report = facade.tidy(actor=SYSTEM)
            assert (report.removed, report.waiting, len(vault.paths())) == (0, 3, 6)
            with mock.patch.object(tidying, "now", return_value=now() + LATER):
                report = facade.tidy(actor=SYSTEM)
            assert (report.removed, report.waiting, len(vault.paths())) == (3, 0, 3)
            assert [read(place) for place in places] == ["new", None, values[places[2]]]

    def test_noted_path_that_a_restored_database_names_again_stays(self, vault: Vault, reached: VaultSettings) -> None:
        place = new_place()
        with secrets_in(KV2, reached):
            facade.put_secret(place, Secret("mine"))
            row = SealedSecret.objects.get()
            SealedSecret.objects.all().delete()
            facade.tidy(actor=SYSTEM)
            assert UnusedPath.objects.count() == 1
            row.pk = None
            row.save(force_insert=True)
            with mock.patch.object(tidying, "now", return_value=now() + LATER):
                assert facade.tidy(actor=SYSTEM).removed == 0
            assert read(place) == "mine"

    def test_path_that_is_named_again_during_the_removal_stays(
        self, reached: VaultSettings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place = new_place()
        with secrets_in(KV2, reached):
            facade.put_secret(place, Secret("mine"))
            row = SealedSecret.objects.get()
            SealedSecret.objects.all().delete()
            facade.tidy(actor=SYSTEM)
            note = tidying._note_unused

            def restored_after(present: set[str]) -> None:
                note(present)
                row.pk = None
                row.save(force_insert=True)

            monkeypatch.setattr(tidying, "_note_unused", restored_after)
            with mock.patch.object(tidying, "now", return_value=now() + LATER):
                assert facade.tidy(actor=SYSTEM).removed == 0
            assert read(place) == "mine"

    def test_sealed_vault_does_not_keep_local_copies(self, vault: Vault, reached: VaultSettings) -> None:
        put_many(2)
        with secrets_in(KV2, reached):
            facade.move(actor=SYSTEM, to=KV2)
            vault.sealed = True
            with (
                mock.patch.object(tidying, "now", return_value=now() + LATER),
                pytest.raises(VaultUnavailable),
            ):
                facade.tidy(actor=SYSTEM)
        assert facade.store_overview().local_copies == 0


class TestCommands:
    @pytest.fixture(autouse=True)
    def _own_django(self, monkeypatch: pytest.MonkeyPatch, reached: VaultSettings) -> Iterator[None]:
        monkeypatch.setattr(cli, "_django", lambda: None)  # the test's own Django is loaded
        for name, value in {
            "POSTERN_SECRET_STORE": "vault-kv2",
            "POSTERN_VAULT_ADDR": reached.address,
            "POSTERN_VAULT_TOKEN": ROOT_TOKEN,
        }.items():
            monkeypatch.setenv(name, value)
        with secrets_in(KV2, reached):
            yield

    def test_secrets_are_moved_shown_and_tidied(self, vault: Vault, capsys: pytest.CaptureFixture[str]) -> None:
        with secrets_in(LOCAL, None):
            put_many(3)
        assert cli.main(["vault", "provider"]) == 0
        shown = capsys.readouterr().out
        assert "still to move to vault-kv2: 3" in shown
        assert "Vault can be used, version 1.18.3" in shown
        assert cli.main(["vault", "move", "--to", "vault-kv2"]) == 0
        assert capsys.readouterr().out == "3 secrets were moved to vault-kv2; 0 are still elsewhere\n"
        assert cli.main(["vault", "tidy"]) == 0
        assert cli.main(["vault", "tidy", "--grace-minutes", "1"]) == 2
        assert cli.main(["vault", "rewrap"]) == 0
        capsys.readouterr()
        assert cli.main(["vault", "move", "--to", "local"]) == 1
        assert "Set POSTERN_SECRET_STORE=local for all services" in capsys.readouterr().err

    def test_reason_of_a_failure_is_shown_without_the_token(
        self, vault: Vault, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with secrets_in(LOCAL, None):
            put_many(1)
        vault.forbidden.add("/data/")
        assert cli.main(["vault", "move", "--to", "vault-kv2"]) == 1
        failed = capsys.readouterr()
        vault.sealed = True
        assert cli.main(["vault", "provider"]) == 1
        shown = capsys.readouterr()
        assert "HTTP 403" in failed.err
        assert "Vault cannot be used: it is sealed" in shown.out
        assert all(ROOT_TOKEN not in text for text in (failed.err, failed.out, shown.out, shown.err))


def test_process_without_vault_loads_neither_hvac_nor_requests(tmp_path: Path) -> None:
    program = (
        "import sys, django; django.setup(); from postern.apps.vault import facade;"
        "print(sorted({'hvac', 'requests', 'urllib3'} & set(sys.modules)))"
    )
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith("POSTERN_")},
        "POSTERN_HOME": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "postern.foundation.django_settings",
    }
    done = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert settings.POSTERN.vault is None
