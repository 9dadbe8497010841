import json
from typing import Any

import asyncssh
import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories.grants import make_asset, make_system_user
from postern.apps.assets.nodes.actions import root_of
from postern.apps.audits.models import AuditEvent
from postern.apps.vault import facade
from postern.apps.vault.models import SealedSecret, SystemUser
from postern.apps.vault.system_users.errors import CredentialMissing
from postern.kernel.ids import DEFAULT_ORG_ID
from writes.database import table_names

pytestmark = pytest.mark.django_db

URL = "/api/v1/assets/system-users/"
CANARY = "canary-6f1d-password"


def body(**changes: Any) -> dict[str, Any]:
    return {"name": "root on linux", "username": "root", "password": CANARY, **changes}


def private_key(passphrase: str | None = None) -> tuple[str, Any]:
    key = asyncssh.generate_private_key("ssh-ed25519")
    return key.export_private_key("openssh", passphrase).decode(), key


@pytest.mark.spec("S3-035", "S3-036", "S3-037", "S3-038", "S3-040")
def test_create_system_user_seals_the_secret_and_does_not_return_it(as_org_admin: APIClient) -> None:
    text, key = private_key()
    sent = body(
        private_key=text,
        priority=90,
        sudo="/bin/ls",
        home="/home/root",
        system_groups="wheel",
        sftp_root="/srv",
        auto_push=True,
    )
    answer = as_org_admin.post(URL, sent)
    assert answer.status_code == 201, answer.data
    made = answer.json()
    assert (made["protocol"], made["login_mode"], made["type"]) == ("ssh", "auto", "common")
    assert (made["priority"], made["sudo"], made["home"], made["sftp_root"], made["auto_push"]) == (
        90,
        "/bin/ls",
        "/home/root",
        "/srv",
        True,
    )
    assert made["ssh_key_fingerprint"] == key.get_fingerprint("sha256")
    assert not {"password", "private_key", "public_key", "token"} & set(made)
    opened = facade.open_credential(system_user_id=made["id"], asset_id=None, username="ann")
    assert (opened.login_name, opened.password) == ("root", CANARY)
    assert asyncssh.import_private_key(opened.private_key).public_data == key.public_data


def test_k73_secrets_appear_in_no_answer_options_audit_row_or_table(as_org_admin: APIClient) -> None:
    text, _key = private_key()
    canaries = [CANARY, text.splitlines()[2], "canary-token"]
    made = as_org_admin.post(URL, body(private_key=text, token="canary-token")).json()
    detail = f"{URL}{made['id']}/"
    answers = [
        as_org_admin.get(URL), as_org_admin.get(detail), as_org_admin.options(URL), as_org_admin.options(detail),
        as_org_admin.patch(detail, {"password": CANARY, "comment": "x"}),
        as_org_admin.get(f"{URL}?fields=password,private_key,token,public_key"),
        as_org_admin.patch(detail, {"password": CANARY + "{{"}),
        as_org_admin.post(URL, body(name="other", private_key=text[:-90])),
    ]  # fmt: skip
    said = [answer.content.decode() for answer in answers]
    said.append(json.dumps(list(AuditEvent.objects.values_list("old", "new", "resource")), default=str))
    with connection.cursor() as cursor:
        for table in table_names():
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608 - names from the database itself
            said.extend(str([bytes(v) if isinstance(v, memoryview) else v for v in row]) for row in cursor.fetchall())
    for canary in canaries:
        assert not any(canary in text for text in said)
    assert AuditEvent.objects.filter(event="systemuser.updated").latest("sequence").new["password"] == "******"


def test_secrets_in_options_are_write_only_without_a_default(as_org_admin: APIClient) -> None:
    actions = as_org_admin.options(URL).json()["actions"]
    for name in ("password", "private_key", "public_key", "token"):
        assert actions["POST"][name]["write_only"] is True
        assert "default" not in actions["POST"][name]
    assert actions["POST"]["password"]["max_length"] == 512
    assert (actions["POST"]["priority"]["min_value"], actions["POST"]["priority"]["max_value"]) in {
        (1, 100),
        ("1", "100"),
    }
    assert actions["POST"]["priority"]["default"] == 81
    assert [choice["value"] for choice in actions["POST"]["login_mode"]["choices"]] == ["auto", "manual"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "a@b"}, "name"),
        ({"username": ""}, "username"),
        ({"username": "a b"}, "username"),
        ({"password": ""}, "password"),
        ({"password": "{{ lookup }}"}, "password"),
        ({"password": "x" * 513}, "password"),
        ({"private_key": "no key"}, "private_key"),
        ({"private_key": "-----BEGIN OPENSSH PRIVATE KEY-----"}, "private_key"),
        ({"priority": 0}, "priority"),
        ({"priority": 101}, "priority"),
        ({"protocol": "gopher"}, "protocol"),
        ({"login_mode": "magic"}, "login_mode"),
        ({"sftp_root": "etc"}, "sftp_root"),
    ],
)
def test_create_system_user_with_a_bad_value_is_a_field_error(
    as_org_admin: APIClient, changes: dict[str, Any], field: str
) -> None:
    answer = as_org_admin.post(URL, body(**changes))
    assert answer.status_code == 400
    assert set(answer.json()) == {field}
    assert not SystemUser.objects.exists()
    assert not SealedSecret.objects.exists()


@pytest.mark.spec("S5-040", "S5-041")
def test_create_manual_system_user_needs_neither_username_nor_password(as_org_admin: APIClient) -> None:
    answer = as_org_admin.post(
        URL, body(username="", password="", login_mode="manual", auto_push=True, auto_generate_key=True)
    )
    assert answer.status_code == 201, answer.data
    assert (answer.json()["auto_push"], answer.json()["username"]) == (False, "")
    assert not SealedSecret.objects.exists()
    with pytest.raises(CredentialMissing):
        facade.open_credential(system_user_id=answer.json()["id"], asset_id=None, username="ann")


def test_auto_generate_key_creates_a_password_and_an_ed25519_key(as_org_admin: APIClient) -> None:
    made = as_org_admin.post(URL, {"name": "auto", "username": "auto", "auto_generate_key": True}).json()
    opened = facade.open_credential(system_user_id=made["id"], asset_id=None, username="ann")
    assert len(opened.password) >= 24
    key = asyncssh.import_private_key(opened.private_key)
    assert key.get_algorithm() == "ssh-ed25519"
    assert made["ssh_key_fingerprint"] == key.get_fingerprint("sha256")


@pytest.mark.spec("S3-039")
def test_dynamic_username_is_that_of_the_user_and_allowed_once_per_protocol(as_org_admin: APIClient) -> None:
    made = as_org_admin.post(URL, body(username="x", home="/home/x", username_same_with_user=True))
    assert (made.status_code, made.json()["username"], made.json()["home"]) == (201, "", "")
    assert facade.open_credential(system_user_id=made.json()["id"], asset_id=None, username="ann").login_name == "ann"
    again = as_org_admin.post(URL, body(name="second", username_same_with_user=True))
    assert set(again.json()) == {"username_same_with_user"}
    other = as_org_admin.post(URL, body(name="third", protocol="rdp", username_same_with_user=True))
    assert other.status_code == 201


def test_blank_password_in_an_update_keeps_the_stored_one_and_a_new_one_replaces_it(as_org_admin: APIClient) -> None:
    system_user = make_system_user(password=CANARY)
    url = f"{URL}{system_user.pk}/"
    assert as_org_admin.put(url, {"name": "n", "username": "root", "password": ""}).status_code == 200
    assert facade.open_credential(system_user_id=system_user.pk, asset_id=None, username="").password == CANARY
    as_org_admin.patch(url, {"password": "another one"})
    assert facade.open_credential(system_user_id=system_user.pk, asset_id=None, username="").password == "another one"
    assert as_org_admin.patch(url, {"protocol": "rdp"}).status_code == 400


def test_locked_private_key_opens_with_the_password_as_passphrase(as_org_admin: APIClient) -> None:
    text, key = private_key("open sesame")
    refused = as_org_admin.post(URL, body(private_key=text, password=""))
    assert set(refused.json()) == {"private_key"}
    made = as_org_admin.post(URL, body(private_key=text, password="open sesame"))
    assert made.status_code == 201, made.data
    opened = facade.open_credential(system_user_id=made.json()["id"], asset_id=None, username="")
    assert opened.password == ""
    assert asyncssh.import_private_key(opened.private_key).public_data == key.public_data


def test_admin_users_are_system_users_of_type_admin(as_org_admin: APIClient) -> None:
    url = "/api/v1/assets/admin-users/"
    made = as_org_admin.post(
        url, {"name": "adm", "username": "root", "password": "p", "protocol": "rdp", "login_mode": "manual"}
    )
    assert made.status_code == 201, made.data
    row = SystemUser.objects.get()
    assert (row.type, row.protocol, row.login_mode, row.auto_push) == ("admin", "ssh", "auto", False)
    make_system_user("common")
    assert [row["name"] for row in as_org_admin.get(url).json()] == ["adm"]
    assert [row["name"] for row in as_org_admin.get(f"{URL}?type=admin").json()] == ["adm"]
    assert len(as_org_admin.get(f"{URL}?type__in=admin,common&protocol__in=ssh,rdp").json()) == 2


def test_deleted_system_user_loses_its_secrets(as_org_admin: APIClient) -> None:
    admin = make_system_user(type="admin")
    assert SealedSecret.objects.exists()
    assert as_org_admin.delete(f"{URL}{admin.pk}/").status_code == 204
    assert not SealedSecret.objects.exists()


def test_k1_credentials_cannot_be_read_over_the_public_api_without_a_fresh_second_factor(as_admin: APIClient) -> None:
    system_user, asset = make_system_user(), make_asset()
    for path in (f"{URL}{system_user.pk}/auth-info/", f"{URL}{system_user.pk}/assets/{asset.pk}/auth-info/"):
        answer = as_admin.get(path)
        assert (answer.status_code, answer.json()["code"]) == (400, "mfa_verify_required")
    assert as_admin.delete(f"{URL}{system_user.pk}/auth-info/").status_code == 204
    assert not SealedSecret.objects.exists()


def test_bindings_connect_system_users_with_assets_nodes_and_users(
    as_org_admin: APIClient, people: dict[str, Any]
) -> None:
    system_user, asset = make_system_user(), make_asset("web-1")
    url = "/api/v1/assets/system-users-assets-relations/"
    made = as_org_admin.post(url, [{"asset": str(asset.pk), "systemuser": str(system_user.pk)}])
    assert made.status_code == 201, made.data
    [row] = as_org_admin.get(f"{url}?systemuser={system_user.pk}").json()
    assert (row["asset_display"], row["systemuser_display"], row["connectivity"]) == (
        "web-1",
        system_user.name,
        "unknown",
    )
    assert as_org_admin.get(f"{URL}{system_user.pk}/").json()["assets_amount"] == 1
    assert [row["hostname"] for row in as_org_admin.get(f"{URL}{system_user.pk}/assets/").json()] == ["web-1"]
    assert [
        row["hostname"] for row in as_org_admin.get(f"/api/v1/assets/assets/?system_users__id={system_user.pk}").json()
    ] == ["web-1"]
    assert as_org_admin.delete(url).status_code == 400
    assert as_org_admin.delete(f"{url}?asset={asset.pk}&systemuser={system_user.pk}").status_code == 204
    nodes = "/api/v1/assets/system-users-nodes-relations/"
    node = root_of(DEFAULT_ORG_ID)
    made = as_org_admin.post(nodes, {"node": str(node.pk), "systemuser": str(system_user.pk)})
    assert (made.status_code, made.json()["node_display"]) == (201, "/Default")
    users = "/api/v1/assets/system-users-users-relations/"
    made = as_org_admin.post(users, {"user": str(people["user"].pk), "systemuser": str(system_user.pk)})
    assert made.status_code == 201


@pytest.mark.parametrize("count", [1, 8])
def test_list_system_users_takes_a_fixed_number_of_queries(
    as_org_admin: APIClient, count: int, django_assert_num_queries: Any
) -> None:
    for _ in range(count):
        make_system_user()
    with django_assert_num_queries(6):
        as_org_admin.get(f"{URL}?limit=20")
