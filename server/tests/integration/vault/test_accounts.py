"""Accounts: own secrets and their versions, and which secret a sign-in gets."""

from typing import Any
from uuid import UUID

import asyncssh
import pytest
from rest_framework.test import APIClient

from factories.grants import make_asset, make_node, make_system_user
from postern.apps.assets.assets.actions.assets import delete_asset
from postern.apps.assets.models import Asset
from postern.apps.audits.models import AuditEvent
from postern.apps.vault import facade
from postern.apps.vault.accounts.actions import KEPT_VERSIONS
from postern.apps.vault.models import Account, AccountVersion, SealedSecret, SystemUser, SystemUserAsset, SystemUserNode
from postern.apps.vault.sealed_secrets.actions import rotation as vault_keys
from postern.apps.vault.system_users.actions import bind, delete_system_user, update_system_user
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.database.uses import StillUsed
from postern.kernel import clock

pytestmark = pytest.mark.django_db

URL = "/api/v1/assets/accounts/"
RELATIONS = "/api/v1/assets/system-users-assets-relations/"
SHARED = "the password of the system user"
OWN = "canary-0c52-own"
FIELDS = {
    "id", "username", "ip", "hostname", "version", "date_created", "date_updated", "connectivity", "date_verified",
    "comment", "asset", "systemuser", "systemuser_display", "org_id", "org_name",
}  # fmt: skip


def private_key() -> tuple[str, str]:
    key = asyncssh.generate_private_key("ssh-ed25519")
    return key.export_private_key("openssh").decode(), key.get_fingerprint("sha256")


def bound(system_user: SystemUser, asset: Asset) -> Account:
    bind(actor=SYSTEM, row=SystemUserAsset(systemuser=system_user, asset=asset))
    row: Account = Account.objects.get(systemuser=system_user, asset=asset)
    return row


def opened(system_user: SystemUser, asset: Asset | None, username: str = "") -> Any:
    return facade.open_credential(
        system_user_id=system_user.pk, asset_id=asset.pk if asset else None, username=username
    )


def test_relation_row_is_the_account_with_the_fields_of_the_contract(as_org_admin: APIClient) -> None:
    system_user, asset = make_system_user("deploy", username="deploy"), make_asset("web-1", ip="192.0.2.7")
    made = as_org_admin.post(RELATIONS, {"asset": str(asset.pk), "systemuser": str(system_user.pk)}).json()
    row = as_org_admin.get(f"{URL}{made['id']}/").json()
    assert set(row) >= FIELDS
    assert not {"password", "private_key", "public_key"} & set(row)
    assert (row["username"], row["hostname"], row["ip"], row["version"]) == ("deploy", "web-1", "192.0.2.7", 1)
    assert (row["systemuser_display"], row["connectivity"], row["has_own_secret"]) == ("deploy", "unknown", False)
    mini = as_org_admin.get(f"{URL}?fields_size=mini").json()[0]
    assert set(mini) == {"id", "username", "ip", "hostname", "version"}
    small = as_org_admin.get(f"{URL}?fields_size=small").json()[0]
    assert not {"asset", "systemuser", "systemuser_display", "org_id", "org_name"} & set(small)


def test_filters_search_and_order(as_org_admin: APIClient) -> None:
    node, other = make_node("north"), make_node("south")
    below = make_node("rack", parent=node)
    deploy, root = make_system_user("deploy", username="deploy"), make_system_user("root", username="root")
    web, db = make_asset("web-1", ip="192.0.2.1", nodes=[below]), make_asset("db-1", ip="192.0.2.2", nodes=[other])
    first, second, third = bound(deploy, web), bound(root, web), bound(deploy, db)
    own = as_org_admin.post(URL, {"username": "oracle", "asset": str(db.pk), "systemuser": None}).json()["id"]

    def ids(query: str) -> list[str]:
        answer = as_org_admin.get(f"{URL}?{query}")
        assert answer.status_code == 200, answer.data
        return [row["id"] for row in answer.json()]

    assert set(ids(f"asset={web.pk}")) == {str(first.pk), str(second.pk)}
    assert set(ids(f"systemuser={deploy.pk}")) == {str(first.pk), str(third.pk)}
    assert set(ids("username=deploy")) == {str(first.pk), str(third.pk)}
    assert ids("username=oracle") == [own]
    assert set(ids("hostname=db-1")) == {str(third.pk), own} == set(ids("ip=192.0.2.2"))
    assert set(ids(f"node={node.pk}")) == {str(first.pk), str(second.pk)}
    assert ids(f"node={make_asset().pk}") == []
    assert ids(f"id={third.pk}") == [str(third.pk)]
    assert set(ids("search=WEB-1")) == {str(first.pk), str(second.pk)}
    assert set(ids("search=deploy 192.0.2.2")) == {str(third.pk)}
    assert ids("order=hostname,systemuser_display")[-1] == str(second.pk)
    assert as_org_admin.get(f"{URL}?asset=nonsense").status_code == 400
    options = as_org_admin.options(URL).json()["actions"]
    assert all(options["GET"][name]["filter"] for name in ("username", "ip", "hostname", "asset", "systemuser", "id"))
    assert options["POST"]["password"]["write_only"] is True


def test_own_secret_overrides_that_of_the_system_user_and_counts_versions(as_org_admin: APIClient) -> None:
    system_user, asset, other = make_system_user(password=SHARED), make_asset(), make_asset()
    account = bound(system_user, asset)
    assert opened(system_user, asset).password == SHARED
    answer = as_org_admin.patch(f"{URL}{account.pk}/", {"password": OWN})
    assert (answer.status_code, answer.json()["version"], answer.json()["has_own_secret"]) == (200, 2, True)
    assert opened(system_user, asset).password == OWN
    assert opened(system_user, other).password == SHARED
    assert opened(system_user, None).password == SHARED
    text, fingerprint = private_key()
    changed = as_org_admin.patch(f"{URL}{account.pk}/", {"private_key": text}).json()
    assert (changed["version"], changed["ssh_key_fingerprint"]) == (3, fingerprint)
    both = opened(system_user, asset)
    assert (both.password, "OPENSSH PRIVATE KEY" in both.private_key) == (OWN, True)
    assert as_org_admin.patch(f"{URL}{account.pk}/", {"password": "", "comment": "x"}).json()["version"] == 3
    assert as_org_admin.delete(f"{URL}{account.pk}/own-secret/").status_code == 204
    assert opened(system_user, asset).password == SHARED
    assert as_org_admin.get(f"{URL}{account.pk}/").json()["version"] == 4
    assert as_org_admin.delete(f"{URL}{account.pk}/own-secret/").json()["code"] == "no_own_secret"


def test_own_key_alone_is_used_without_the_password_of_the_system_user(as_org_admin: APIClient) -> None:
    system_user, asset = make_system_user(password=SHARED), make_asset()
    as_org_admin.patch(f"{URL}{bound(system_user, asset).pk}/", {"private_key": private_key()[0]})
    assert opened(system_user, asset).password == ""


def test_versions_tell_who_when_and_why_and_never_the_secret(as_org_admin: APIClient, people: dict[str, Any]) -> None:
    account = bound(make_system_user(), make_asset())
    as_org_admin.patch(f"{URL}{account.pk}/", {"password": OWN})
    as_org_admin.delete(f"{URL}{account.pk}/own-secret/")
    answer = as_org_admin.get(f"{URL}{account.pk}/versions/")
    assert OWN not in answer.content.decode()
    shown = [(row["number"], row["reason"], row["has_password"], row["is_current"]) for row in answer.json()]
    assert shown == [(3, "cleared", False, True), (2, "entered", True, False)]
    assert {row["created_by"] for row in answer.json()} == {str(people["org_admin"])}
    assert all(row["date_created"] for row in answer.json())


def test_a_bounded_number_of_old_versions_stays_sealed(as_org_admin: APIClient) -> None:
    account = bound(make_system_user(), make_asset())
    before = SealedSecret.objects.count()
    for number in range(KEPT_VERSIONS + 3):
        assert as_org_admin.patch(f"{URL}{account.pk}/", {"password": f"{OWN}-{number}"}).status_code == 200
    numbers = list(AccountVersion.objects.values_list("number", flat=True))
    assert numbers == list(range(KEPT_VERSIONS + 4, 4, -1))
    assert SealedSecret.objects.count() == before + KEPT_VERSIONS
    assert vault_keys.rotate(actor=SYSTEM).rewrapped == before + KEPT_VERSIONS
    account.refresh_from_db()
    assert opened(account.systemuser, account.asset).password == f"{OWN}-{KEPT_VERSIONS + 2}"


def test_changed_secret_is_unverified_again(as_org_admin: APIClient) -> None:
    system_user, asset = make_system_user(), make_asset()
    account, other = bound(system_user, asset), bound(system_user, make_asset())
    began = clock.now()

    def note(works: bool) -> str:
        result = facade.AccountResult(
            asset_id=asset.pk, system_user_id=system_user.pk, username="root", works=works, started=began
        )
        facade.note_accounts([result])
        row = as_org_admin.get(f"{URL}{account.pk}/").json()
        assert (row["connectivity"] == "unknown") == (row["date_verified"] is None)
        return str(row["connectivity"])

    assert note(works=True) == "ok"
    assert as_org_admin.patch(f"{URL}{account.pk}/", {"password": OWN}).json()["connectivity"] == "unknown"
    assert note(works=True) == "unknown"  # that sign-in was with the secret before
    began = clock.now()
    assert note(works=False) == "failed"
    Account.objects.update(connectivity="ok", date_verified=began)
    update_system_user(actor=SYSTEM, system_user=system_user, values={"password": "another"})
    found = dict(Account.objects.values_list("pk", "connectivity"))
    assert found == {account.pk: "ok", other.pk: "unknown"}


@pytest.mark.spec("S3-039")
def test_accounts_of_a_dynamic_system_user_belong_to_one_name(as_org_admin: APIClient) -> None:
    same, asset = make_system_user(username="", username_same_with_user=True, password=SHARED), make_asset()
    body = {"asset": str(asset.pk), "systemuser": str(same.pk)}
    assert as_org_admin.post(URL, {**body, "username": "ann", "password": OWN}).status_code == 201
    assert opened(same, asset, "ann").password == OWN
    assert opened(same, asset, "ben").password == SHARED
    assert as_org_admin.post(URL, {**body, "username": "", "password": "for all"}).status_code == 201
    assert (opened(same, asset, "ann").password, opened(same, asset, "ben").password) == (OWN, "for all")


def test_account_without_a_system_user_has_its_own_secret_only(as_org_admin: APIClient) -> None:
    asset = make_asset()
    body = {"username": "oracle", "asset": str(asset.pk), "systemuser": None, "password": OWN}
    made = as_org_admin.post(URL, body)
    assert (made.status_code, made.json()["version"], made.json()["systemuser_display"]) == (201, 1, "")
    assert set(as_org_admin.post(URL, body).json()) == {"username"}
    assert set(as_org_admin.post(URL, {**body, "username": ""}).json()) == {"username"}
    found = facade.open_account_of_asset(asset_id=asset.pk, username="oracle")
    assert (found.login_name, found.password) == ("oracle", OWN)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"username": "other"}, "username"),
        ({"username": "a b"}, "username"),
        ({"password": "{{ lookup }}"}, "password"),
        ({"password": "x" * 513}, "password"),
        ({"private_key": "no key"}, "private_key"),
        ({"asset": None}, "asset"),
    ],
)
def test_bad_values_are_field_errors(as_org_admin: APIClient, changes: dict[str, Any], field: str) -> None:
    body = {"username": "", "asset": str(make_asset().pk), "systemuser": str(make_system_user().pk), "password": "p"}
    before = SealedSecret.objects.count()
    answer = as_org_admin.post(URL, {**body, **changes})
    assert (answer.status_code, set(answer.json())) == (400, {field})
    assert not Account.objects.exists()
    assert SealedSecret.objects.count() == before


def test_manual_system_users_take_no_own_secret(as_org_admin: APIClient) -> None:
    account = bound(make_system_user(login_mode="manual", password=""), make_asset())
    assert set(as_org_admin.patch(f"{URL}{account.pk}/", {"password": OWN}).json()) == {"password"}


def test_put_keeps_asset_system_user_and_username(as_org_admin: APIClient) -> None:
    account = bound(make_system_user(), make_asset())
    body = {"username": "root", "asset": str(account.asset_id), "systemuser": str(account.systemuser_id)}
    assert as_org_admin.put(f"{URL}{account.pk}/", {**body, "comment": "kept"}).json()["comment"] == "kept"
    for name, value in (("asset", str(make_asset().pk)), ("systemuser", str(make_system_user("x").pk))):
        assert set(as_org_admin.put(f"{URL}{account.pk}/", {**body, name: value}).json()) == {name}


def test_bulk_writes_are_all_or_none(as_org_admin: APIClient) -> None:
    system_user = make_system_user()
    rows = [{"username": "", "asset": str(make_asset().pk), "systemuser": str(system_user.pk)} for _ in range(2)]
    refused = as_org_admin.post(URL, [rows[0], {**rows[1], "username": "other"}])
    assert refused.json() == [{}, {"username": refused.json()[1]["username"]}]
    made = as_org_admin.post(URL, rows).json()
    changed = as_org_admin.patch(URL, [{"id": row["id"], "password": OWN} for row in made]).json()
    assert [row["version"] for row in changed] == [2, 2]
    assert as_org_admin.delete(f"{URL}?ids={','.join(row['id'] for row in made)}").status_code == 204
    assert not Account.objects.exists()
    assert not AccountVersion.objects.exists()
    assert not SealedSecret.objects.filter(table="vault_accountversion").exists()


def test_k73_own_secrets_are_in_no_answer_metadata_or_record(as_org_admin: APIClient) -> None:
    text, _fingerprint = private_key()
    account = bound(make_system_user(), make_asset())
    url = f"{URL}{account.pk}/"
    answers = [
        as_org_admin.patch(url, {"password": OWN, "private_key": text}),
        as_org_admin.get(url), as_org_admin.get(URL), as_org_admin.options(url),
        as_org_admin.get(f"{url}?fields=password,private_key,public_key"), as_org_admin.get(f"{url}versions/"),
        as_org_admin.patch(url, {"password": OWN + "{{"}),
    ]  # fmt: skip
    said = [answer.content.decode() for answer in answers]
    said.append(b"".join(as_org_admin.get(f"{URL}?format=csv").streaming_content).decode())
    said.append(str(list(AuditEvent.objects.values_list("old", "new", "resource"))))
    said.append(str([[bytes(value) for value in row] for row in SealedSecret.objects.values_list("ciphertext")]))
    for canary in (OWN, text.splitlines()[2]):
        assert not any(canary in one for one in said)
    told = AuditEvent.objects.filter(event="account.updated").latest("sequence")
    assert (told.old["password"], told.new["password"], told.new["version"]) == (None, "******", 2)


def test_secrets_go_with_the_asset_and_with_the_account(as_org_admin: APIClient) -> None:
    system_user, assets = make_system_user(), [make_asset(), make_asset()]
    for asset in assets:
        as_org_admin.patch(f"{URL}{bound(system_user, asset).pk}/", {"password": OWN})
    delete_asset(actor=SYSTEM, asset=assets[0])
    assert SealedSecret.objects.filter(table="vault_accountversion").count() == 1
    with pytest.raises(StillUsed):
        delete_system_user(actor=SYSTEM, system_user=system_user)
    assert as_org_admin.delete(f"{URL}{bound(system_user, assets[1]).pk}/").status_code == 204
    delete_system_user(actor=SYSTEM, system_user=system_user)
    assert not SealedSecret.objects.exists()


def test_unbinding_does_not_silently_lose_an_own_secret(as_org_admin: APIClient) -> None:
    account = bound(make_system_user(), make_asset())
    as_org_admin.patch(f"{URL}{account.pk}/", {"password": OWN})
    refused = as_org_admin.delete(f"{RELATIONS}{account.pk}/")
    assert (refused.status_code, refused.json()["code"]) == (400, "account_has_secret")
    assert as_org_admin.delete(f"{URL}{account.pk}/").status_code == 204
    assert not SealedSecret.objects.filter(table="vault_accountversion").exists()


def test_account_that_a_node_asks_for_cannot_be_deleted(as_org_admin: APIClient) -> None:
    node, system_user = make_node("north"), make_system_user()
    account = bound(system_user, make_asset(nodes=[node]))
    bind(actor=SYSTEM, row=SystemUserNode(systemuser=system_user, node=node))
    refused = as_org_admin.delete(f"{URL}{account.pk}/")
    assert (refused.status_code, refused.json()["code"]) == (400, "account_of_node")
    assert "north" in refused.json()["detail"]
    assert as_org_admin.delete(f"{RELATIONS}{account.pk}/").status_code == 204  # it stays, because of the node
    assert Account.objects.get(pk=account.pk).is_direct is False
    assert as_org_admin.delete(f"{RELATIONS}{account.pk}/").json()["code"] == "account_of_node"


def test_push_takes_the_own_secret(as_org_admin: APIClient) -> None:
    system_user, asset, other = make_system_user(username="deploy", password=SHARED), make_asset(), make_asset()
    as_org_admin.patch(f"{URL}{bound(system_user, asset).pk}/", {"password": OWN})

    def pushed(asset_id: UUID) -> str:
        return facade.account_to_push(system_user.pk, asset_id).password.reveal()

    assert (pushed(asset.pk), pushed(other.pk)) == (OWN, SHARED)
