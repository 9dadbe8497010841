"""Secrets are written to Vault while no transaction is open: nothing waits for it, and nothing is half written."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from unittest import mock

import asyncssh
import pytest
from django.conf import settings
from django.db import connection

from factories.at_once import Beside, other_threads
from factories.browser import Browser
from factories.grants import make_asset, make_domain, make_gateway, make_system_user
from factories.secret_stores import secrets_in, vault_settings
from factories.store_use import PATIENCE_S, note_uses, wait_for_use
from peers import secret_writer
from peers.vault_server import ROOT_TOKEN, Vault, serving
from postern.apps.assets.models import Platform
from postern.apps.audits.models import AuditEvent
from postern.apps.vault import facade
from postern.apps.vault.accounts.actions import update_account
from postern.apps.vault.accounts.queries import open_secrets
from postern.apps.vault.models import Account, AccountSecret, SealedSecret, SystemUser, SystemUserAsset
from postern.apps.vault.sealed_secrets.actions import tidying
from postern.apps.vault.system_users.actions import bind
from postern.apps.vault.system_users.places import place_of
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.configuration.secret_store import SecretStore
from postern.kernel.clock import now

LATER = timedelta(days=8)
SYSTEM_USERS, GATEWAYS, ACCOUNTS = (f"/api/v1/assets/{name}/" for name in ("system-users", "gateways", "accounts"))
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def vault() -> Iterator[Vault]:
    """The store of all new secrets of targets."""
    made = Vault()
    with serving(made) as address, secrets_in(SecretStore.VAULT_KV2, vault_settings(address)):
        yield made
    assert made.faults == []


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each use of the store: whether a transaction was open."""
    return note_uses(monkeypatch, "store", "open")


@pytest.fixture
def beside() -> Iterator[Beside]:
    with other_threads() as start:
        yield start


def private_key() -> str:
    return asyncssh.generate_private_key("ssh-ed25519").export_private_key("openssh").decode()


def password_of(row: SystemUser) -> str:
    secret = facade.get_secret(place_of(row, "password"))
    assert secret is not None
    return secret.reveal()


def own_secrets(account: Account) -> dict[str, str]:
    row = AccountSecret.objects.get(pk=account.pk)
    return dict(open_secrets([row])[row.pk].values)


def wish(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "username": name, "protocol": "ssh", "login_mode": "auto", **more}


def gateway_wish(name: str, **more: Any) -> dict[str, Any]:
    domain = make_domain().pk
    return {"name": name, "ip": "127.0.0.1", "username": "forward", "domain": str(domain), **more}


def make_account(**secrets: str) -> Account:
    system_user, asset = make_system_user(password="shared"), make_asset()
    bind(actor=SYSTEM, row=SystemUserAsset(systemuser=system_user, asset=asset))
    row: Account = Account.objects.get(systemuser=system_user)
    if secrets:
        facade.write_outside(lambda: update_account(actor=SYSTEM, account=row, values=secrets))
    return row


def test_every_write_of_the_api_uses_the_store_outside_of_transactions(
    first_admin: Browser, vault: Vault, writes: list[bool]
) -> None:
    def counted(answer: Any, *statuses: int) -> Any:
        assert answer.status_code in statuses, answer.content
        assert writes
        assert not any(writes)
        writes.clear()
        return answer.json()

    one = counted(first_admin.post(SYSTEM_USERS, wish("one", password="first"), format="json"), 201)
    url = f"{SYSTEM_USERS}{one['id']}/"
    row = SystemUser.objects.get(pk=one["id"])
    assert password_of(row) == "first"
    writes.clear()
    counted(first_admin.post(SYSTEM_USERS, wish("made", auto_generate_key=True), format="json"), 201)
    many = [wish(f"many-{number}", password=f"p{number}", private_key=private_key()) for number in range(3)]
    made = counted(first_admin.post(SYSTEM_USERS, many, format="json"), 201)
    for number, item in enumerate(made):
        assert password_of(SystemUser.objects.get(pk=item["id"])) == f"p{number}"
    writes.clear()
    counted(first_admin.patch(url, {"password": "second"}, format="json"), 200)
    counted(first_admin.put(f"{url}auth-info/", {"password": "third"}, format="json"), 200)
    items = [{"id": item["id"], "password": f"new {item['name']}"} for item in made]
    counted(first_admin.patch(SYSTEM_USERS, items, format="json"), 200)
    assert password_of(row) == "third"
    assert password_of(SystemUser.objects.get(name="many-1")) == "new many-1"
    writes.clear()
    gate = counted(first_admin.post(GATEWAYS, gateway_wish("gate", private_key=private_key()), format="json"), 201)
    counted(first_admin.patch(f"{GATEWAYS}{gate['id']}/", {"password": "of the gate"}, format="json"), 200)
    asset = make_asset()
    body = {"asset": str(asset.pk), "username": "bare", "password": "own", "private_key": private_key()}
    account = counted(first_admin.post(ACCOUNTS, body, format="json"), 201)
    at = f"{ACCOUNTS}{account['id']}/"
    counted(first_admin.patch(at, {"password": "own 2"}, format="json"), 200)
    both = own_secrets(Account.objects.get(pk=account["id"]))
    assert both["password"] == "own 2"
    assert "OPENSSH" in both["private_key"]
    writes.clear()
    counted(first_admin.post(f"{at}versions/1/restore/", {"current": 2}, format="json"), 200)
    assert own_secrets(Account.objects.get(pk=account["id"]))["password"] == "own"
    writes.clear()
    host = {
        "asset": {
            "hostname": "new-1", "ip": "127.0.0.1", "platform": Platform.objects.get(name="Linux").name,
            "protocols": ["ssh/22"],
        },
        "account": wish("of-the-host", password="mine"),
    }  # fmt: skip
    counted(first_admin.post("/api/v1/perms/new-hosts/", host, format="json"), 201)
    assert password_of(SystemUser.objects.get(name="of-the-host")) == "mine"
    assert set(SealedSecret.objects.filter(table__startswith="vault_").values_list("provider", flat=True)) == {
        "vault-kv2"
    }


def test_nothing_is_written_outside_by_a_check(first_admin: Browser, vault: Vault, writes: list[bool]) -> None:
    account, gateway = make_account(), make_gateway("gate", make_domain())
    row = SystemUser.objects.get()
    before = SealedSecret.objects.count()
    account_wish = {"id": str(account.pk), "asset": str(account.asset_id), "username": "", "password": "x"}
    account_wish["systemuser"] = str(account.systemuser_id)
    vault.asked.clear()
    writes.clear()
    calls = [
        first_admin.post(
            f"{SYSTEM_USERS}?dry_run=1", [wish("a", password="x"), wish("b", password="y")], format="json"
        ),
        first_admin.put(f"{SYSTEM_USERS}?dry_run=1", [{"id": str(row.pk), **wish("c", password="z")}], format="json"),
        first_admin.post(f"{GATEWAYS}?dry_run=1", [gateway_wish("g", password="x")], format="json"),
        first_admin.put(
            f"{GATEWAYS}?dry_run=1",
            [
                {
                    "id": str(gateway.pk),
                    "name": "g",
                    "ip": "127.0.0.1",
                    "username": "forward",
                    "password": "x",
                    "domain": str(gateway.domain_id),
                }
            ],
            format="json",
        ),
        first_admin.put(f"{ACCOUNTS}?dry_run=1", [account_wish], format="json"),
    ]
    found = [item["outcome"] for answer in calls for item in answer.json()]
    assert found == ["create", "create", "update", "create", "update", "update"], [one.json() for one in calls]
    assert vault.asked == []
    assert (writes, SealedSecret.objects.count()) == ([], before)


def test_refused_write_leaves_nothing_in_the_store(first_admin: Browser, vault: Vault) -> None:
    make_system_user("taken")
    vault.asked.clear()
    answer = first_admin.post(SYSTEM_USERS, [wish("fresh", password="x"), wish("taken", password="y")], format="json")
    assert answer.status_code == 400
    assert vault.asked == []
    assert not SystemUser.objects.filter(name="fresh").exists()


def test_store_that_hangs_holds_no_lock(
    first_admin: Browser, second_admin: Browser, vault: Vault, writes: list[bool], beside: Beside
) -> None:
    row = make_system_user(password="first")
    writes.clear()
    hanging = vault.hanging = threading.Event()
    url = f"{SYSTEM_USERS}{row.pk}/"
    change = beside(lambda: first_admin.patch(url, {"password": "second"}, format="json"))
    wait_for_use(writes)
    answer = beside(lambda: second_admin.patch(url, {"comment": "meanwhile"}, format="json")).result(PATIENCE_S)
    assert answer.status_code == 200
    assert not change.done()
    vault.hanging = None
    hanging.set()
    assert change.result(PATIENCE_S).status_code == 200
    row.refresh_from_db()
    assert (row.comment, password_of(row)) == ("meanwhile", "second")
    assert not any(writes)


@pytest.mark.parametrize("fault", ["hangs", "sealed"])
def test_store_that_does_not_answer_is_a_503_and_nothing_is_changed(
    first_admin: Browser, vault: Vault, fault: str
) -> None:
    row = make_system_user(password="first")
    events = AuditEvent.objects.count()
    hanging = threading.Event()
    if fault == "hangs":
        vault.hanging = hanging
    else:
        vault.sealed = True
    hasty = replace(settings.POSTERN, vault=replace(settings.POSTERN.vault, timeout_s=1))
    with mock.patch.object(settings, "POSTERN", hasty):
        body = {"password": "second", "comment": "both or none"}
        answer = first_admin.patch(f"{SYSTEM_USERS}{row.pk}/", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (503, "secret_store_unavailable")
    assert answer["Retry-After"]
    vault.hanging, vault.sealed = None, False
    hanging.set()
    row.refresh_from_db()
    assert (row.comment, password_of(row), AuditEvent.objects.count()) == ("", "first", events)


def test_two_writers_at_once_leave_one_secret_that_can_be_read(
    first_admin: Browser, second_admin: Browser, vault: Vault, beside: Beside, writes: list[bool]
) -> None:
    row = make_system_user(password="first")
    writes.clear()
    hanging = vault.hanging = threading.Event()
    url = f"{SYSTEM_USERS}{row.pk}/"
    both = [
        beside(lambda: first_admin.patch(url, {"password": "of the first"}, format="json")),
        beside(lambda: second_admin.patch(url, {"password": "of the second"}, format="json")),
    ]
    wait_for_use(writes)
    vault.hanging = None
    hanging.set()
    assert [one.result(PATIENCE_S).status_code for one in both] == [200, 200]
    assert password_of(row) in {"of the first", "of the second"}
    assert SealedSecret.objects.filter(row_id=row.pk).count() == 1


def test_secret_that_stays_is_the_one_of_the_moment_of_the_commit(
    first_admin: Browser, second_admin: Browser, vault: Vault, beside: Beside, writes: list[bool]
) -> None:
    account = make_account(password="old")
    hanging = threading.Event()
    writes.clear()
    vault.hanging = hanging
    url = f"{ACCOUNTS}{account.pk}/"
    change = beside(lambda: first_admin.patch(url, {"private_key": private_key()}, format="json"))
    wait_for_use(writes)
    vault.hanging = None
    answer = beside(lambda: second_admin.patch(url, {"password": "new"}, format="json")).result(PATIENCE_S)
    assert answer.status_code == 200
    hanging.set()
    assert change.result(PATIENCE_S).status_code == 200
    kept = own_secrets(account)
    assert kept["password"] == "new"
    assert kept["private_key"]


def test_process_killed_between_the_two_writes_leaves_the_former_secret_and_no_orphan_for_ever(
    vault: Vault,
) -> None:
    row = make_system_user(password="first")
    environ = {
        **os.environ,
        "POSTERN_HOME": str(settings.POSTERN.home),
        "POSTERN_KEK_FILE": str(settings.POSTERN.kek_file),
        "POSTERN_SECRET_STORE": "vault-kv2",
        "POSTERN_VAULT_ADDR": settings.POSTERN.vault.address,
        "POSTERN_VAULT_TOKEN": ROOT_TOKEN,
    }
    command = [sys.executable, secret_writer.__file__, str(connection.settings_dict["NAME"]), str(row.pk)]
    assert subprocess.run(command, env=environ, check=False, timeout=PATIENCE_S).returncode == -signal.SIGKILL
    assert "never named" in vault.values()
    assert password_of(row) == "first"
    facade.tidy(actor=SYSTEM)
    assert "never named" in vault.values()
    with mock.patch.object(tidying, "now", return_value=now() + LATER):
        facade.tidy(actor=SYSTEM)
    assert "never named" not in vault.values()
    assert password_of(row) == "first"
