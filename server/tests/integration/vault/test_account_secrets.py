"""`assets/account-secrets/`: who may see secrets, and that each look is on record."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import asyncssh
import pytest
from rest_framework.test import APIClient

from factories.browser import Browser
from factories.grants import make_asset, make_system_user
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.models import LoginSession
from postern.apps.users.models import User
from postern.apps.vault import facade
from postern.apps.vault.accounts.actions import clear_own_secret, create_account, update_account
from postern.apps.vault.models import Account, SealedSecret, SystemUser, SystemUserAsset
from postern.apps.vault.system_users.actions import bind
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

URL = "/api/v1/assets/account-secrets/"
SHARED = "canary-77aa-shared"
OWN = "canary-31fe-own"


@pytest.fixture
def account() -> Account:
    """An account with an own password."""
    system_user, asset = make_system_user("deploy", username="deploy", password=SHARED), make_asset("web-1")
    bind(actor=SYSTEM, row=SystemUserAsset(systemuser=system_user, asset=asset))
    row: Account = update_account(actor=SYSTEM, account=Account.objects.get(), values={"password": OWN})
    return row


def looks() -> list[tuple[str, str, Any]]:
    rows = AuditEvent.objects.filter(event__startswith="accountsecret.").order_by("sequence")
    return list(rows.values_list("event", "resource", "new"))


def test_administrator_with_a_fresh_code_sees_the_secret_and_is_on_record(
    first_admin: Browser, account: Account
) -> None:
    answer = first_admin.get(f"{URL}{account.pk}/")
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    row = answer.json()
    assert (row["password"], row["private_key"], row["secret_source"]) == (OWN, "", "account")
    assert looks() == [("accountsecret.viewed", "deploy@web-1", {"via": "item", "version": 2})]
    [told] = AuditEvent.objects.filter(event="accountsecret.viewed")
    assert (told.user, told.remote_addr, told.org_id) == ("Admin-1(admin-1)", "192.0.2.1", DEFAULT_ORG_ID)
    listed = first_admin.get(f"{URL}?limit=10").json()["results"]
    assert [one["password"] for one in listed] == [OWN]
    assert len(looks()) == 2
    assert OWN not in json.dumps(looks())


def test_account_without_an_own_secret_shows_what_it_signs_in_with(first_admin: Browser, account: Account) -> None:
    manual = make_system_user("manual", login_mode="manual", password="")
    asset = make_asset("db-1")
    for system_user in (account.systemuser, manual):
        bind(actor=SYSTEM, row=SystemUserAsset(systemuser=system_user, asset=asset))
    alone = create_account(
        actor=SYSTEM, org_id=DEFAULT_ORG_ID, values={"asset": asset, "systemuser": None, "username": "bare"}
    )
    rows = {row["username"]: row for row in first_admin.get(f"{URL}?asset={asset.pk}").json()}
    assert (rows["deploy"]["password"], rows["deploy"]["secret_source"]) == (SHARED, "system_user")
    assert (rows["root"]["password"], rows["root"]["secret_source"], rows["root"]["systemuser_is_manual"]) == (
        "", "none", True,
    )  # fmt: skip
    assert (rows[alone.username]["password"], rows[alone.username]["secret_source"]) == ("", "none")


def test_unreadable_secret_says_so_and_hides_no_other(first_admin: Browser, account: Account) -> None:
    other = make_asset("db-1")
    bind(actor=SYSTEM, row=SystemUserAsset(systemuser=account.systemuser, asset=other))
    SealedSecret.objects.filter(table="vault_accountversion").update(ciphertext=b"0" * 40)
    rows = {row["hostname"]: row for row in first_admin.get(URL).json()}
    assert (rows["web-1"]["secret_source"], rows["web-1"]["password"]) == ("unreadable", "")
    assert rows["db-1"]["password"] == SHARED


def test_without_a_fresh_code_nothing_is_shown_listed_or_exported(first_admin: Browser, account: Account) -> None:
    for verified in (None, clock.now() - timedelta(hours=2)):
        LoginSession.objects.update(date_mfa_verified=verified)
        for query in ("", f"{account.pk}/", "?limit=5", "?format=csv", "?format=xlsx", "?fields=password"):
            answer = first_admin.get(f"{URL}{query}")
            assert (answer.status_code, answer.json()["code"]) == (400, "mfa_verify_required"), query
    assert looks() == []


ACCOUNTS = "/api/v1/assets/accounts/"


def restored(client: APIClient, account: Account, number: int | str, current: int) -> Any:
    return client.post(f"{ACCOUNTS}{account.pk}/versions/{number}/restore/", {"current": current}, format="json")


def signs_in_with(account: Account) -> str:
    password: str = facade.open_credential(
        system_user_id=account.systemuser_id, asset_id=account.asset_id, username=""
    ).password
    return password


def test_earlier_secret_becomes_the_current_one_as_a_new_version(first_admin: Browser, account: Account) -> None:
    changed = update_account(actor=SYSTEM, account=account, values={"password": "canary-later"})
    Account.objects.update(connectivity="ok", date_verified=clock.now())
    assert (changed.version, signs_in_with(account)) == (3, "canary-later")
    answer = restored(first_admin, account, 2, 3)
    assert (answer.status_code, answer.json()["version"], answer.json()["connectivity"]) == (200, 4, "unknown")
    assert signs_in_with(account) == OWN
    newest, *_others = first_admin.get(f"{ACCOUNTS}{account.pk}/versions/").json()
    assert (newest["number"], newest["reason"], newest["has_password"]) == (4, "restored", True)
    [told] = AuditEvent.objects.filter(event="account.secret_restored")
    assert (told.user, told.old, told.new) == (
        "Admin-1(admin-1)",
        {"version": 3, "password": "******"},
        {"version": 4, "restored_version": 2, "password": "******"},
    )
    assert OWN not in answer.content.decode()


def test_own_secret_that_was_removed_can_be_restored(first_admin: Browser, account: Account) -> None:
    clear_own_secret(actor=SYSTEM, account=account)
    assert signs_in_with(account) == SHARED
    assert restored(first_admin, account, 2, 3).json()["has_own_secret"] is True
    assert signs_in_with(account) == OWN
    nothing = restored(first_admin, account, 3, 4)
    assert (nothing.status_code, nothing.json()["code"]) == (400, "nothing_to_restore")


def test_private_key_is_restored_with_its_fingerprint_and_without_a_later_password(
    first_admin: Browser, account: Account
) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    clear_own_secret(actor=SYSTEM, account=account)
    update_account(actor=SYSTEM, account=account, values={"private_key": key.export_private_key("openssh").decode()})
    clear_own_secret(actor=SYSTEM, account=account)
    update_account(actor=SYSTEM, account=account, values={"password": "later"})
    row = restored(first_admin, account, 4, 6).json()
    assert row["ssh_key_fingerprint"] == key.get_fingerprint("sha256")
    secrets = first_admin.get(f"{URL}{account.pk}/").json()
    assert (secrets["password"], secrets["private_key"].startswith("-----BEGIN")) == ("", True)


def test_restoring_twice_or_without_knowing_of_a_change_does_nothing(first_admin: Browser, account: Account) -> None:
    update_account(actor=SYSTEM, account=account, values={"password": "canary-later"})
    assert [restored(first_admin, account, 2, 3).status_code for _ in range(3)] == [200, 409, 409]
    assert Account.objects.get().version == 4
    current = restored(first_admin, account, 4, 4)
    assert (current.status_code, current.json()["code"]) == (400, "nothing_to_restore")
    for number in (1, 99, "x", "99999999999"):
        assert restored(first_admin, account, number, 4).status_code == 404
    assert AuditEvent.objects.filter(event="account.secret_restored").count() == 1


def test_without_a_fresh_code_or_the_right_nothing_is_restored(
    first_admin: Browser, account: Account, people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    update_account(actor=SYSTEM, account=account, values={"password": "canary-later"})
    for name, status in (("auditor", 403), ("user", 403)):
        assert restored(client_of(people[name]), account, 2, 3).status_code == status
    for verified in (None, clock.now() - timedelta(hours=2)):
        LoginSession.objects.update(date_mfa_verified=verified)
        answer = restored(first_admin, account, 2, 3)
        assert (answer.status_code, answer.json()["code"]) == (400, "mfa_verify_required")
    assert signs_in_with(account) == "canary-later"


def test_nobody_stores_a_secret_where_users_enter_it(first_admin: Browser, account: Account) -> None:
    update_account(actor=SYSTEM, account=account, values={"password": "canary-later"})
    SystemUser.objects.update(login_mode="manual")
    answer = restored(first_admin, account, 2, 3)
    assert (answer.status_code, list(answer.json())) == (400, ["password"])
    assert Account.objects.get().version == 3


def test_export_holds_the_secrets_and_is_on_record_row_by_row(first_admin: Browser, account: Account) -> None:
    answer = first_admin.get(f"{URL}?format=csv&hostname=web-1")
    assert OWN in b"".join(answer.streaming_content).decode()
    seen = looks()
    assert [event for event, _name, _new in seen] == ["accountsecret.viewed", "accountsecret.exported"]
    assert seen[0][1:] == ("deploy@web-1", {"via": "file", "version": 2})
    assert seen[1][2] == {"rows": 1, "kind": "export", "format": "csv", "query": {"hostname": "web-1"}}
    plain = first_admin.get("/api/v1/assets/accounts/?format=csv")
    assert OWN not in b"".join(plain.streaming_content).decode()


@pytest.mark.usefixtures("secrets_need_no_code")
@pytest.mark.parametrize("role", ["user", "auditor", "system_auditor", None])
def test_k73_nobody_else_sees_a_secret_even_without_the_code(
    role: str | None, people: dict[str, User], client_of: Callable[[User | None], APIClient], account: Account
) -> None:
    client = client_of(people[role] if role else None)
    for query in ("", f"{account.pk}/", "?format=csv", "?format=xlsx", "?fields=password"):
        answer = client.get(f"{URL}{query}")
        assert answer.status_code == (403 if role else 401), query
        assert OWN not in answer.content.decode()
    for method in ("post", "put", "patch", "delete"):
        assert getattr(client, method)(f"{URL}{account.pk}/", {}).status_code in {401, 403, 405}
    assert looks() == []


@pytest.mark.usefixtures("secrets_need_no_code")
def test_secrets_cannot_be_searched_filtered_or_ordered_by(as_org_admin: APIClient, account: Account) -> None:
    """K22 (filters and orders work on declared columns only): no answer depends on a part of a secret."""
    for query in (
        "search=canary",
        f"password={OWN}",
        "password__startswith=canary",
        "order=password",
        "order=-private_key",
    ):
        rows = as_org_admin.get(f"{URL}?{query}").json()
        assert len(rows) == (0 if query.startswith("search") else 1)


def test_only_get_is_answered(first_admin: Browser, account: Account) -> None:
    for method in ("post", "put", "patch", "delete"):
        assert getattr(first_admin, method)(f"{URL}{account.pk}/", {}, format="json").status_code == 405
