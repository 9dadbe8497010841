import json
from typing import Any

import asyncssh
import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories.grants import make_asset, make_domain, make_gateway
from postern.apps.assets.models import Domain, HostKey
from postern.apps.audits.models import AuditEvent
from postern.apps.vault import facade
from postern.apps.vault.models import Gateway, SealedSecret
from postern.apps.vault.system_users.errors import FieldRefused
from postern.foundation.caller.actor import SYSTEM

pytestmark = pytest.mark.django_db

URL = "/api/v1/assets/gateways/"
CANARY = "canary-1c7e-password"


def body(zone: Domain, **changes: Any) -> dict[str, Any]:
    return {
        "name": "gate-1",
        "ip": "192.0.2.9",
        "username": "forward",
        "password": CANARY,
        "domain": str(zone.pk),
        **changes,
    }


@pytest.mark.spec("S1-018")
def test_create_gateway_seals_its_secrets_and_does_not_return_them(as_org_admin: APIClient) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    text = key.export_private_key("openssh", "passphrase").decode()
    made = as_org_admin.post(URL, body(make_domain(), password="passphrase", private_key=text, port=2222))
    assert made.status_code == 201, made.json()
    row = made.json()
    assert (row["port"], row["protocol"], row["is_active"], row["is_connective"]) == (2222, "ssh", True, True)
    assert row["ssh_key_fingerprint"] == key.get_fingerprint("sha256")
    assert not {"password", "private_key", "public_key"} & set(row)
    opened = facade.open_gateway_credential(row["id"])
    # The password was the passphrase of the key, which is stored without it.
    assert (opened.login_name, opened.password) == ("forward", "")
    assert asyncssh.import_private_key(opened.private_key).public_data == key.public_data


def test_k73_secret_of_a_gateway_is_in_no_table_answer_or_record(as_org_admin: APIClient) -> None:
    made = as_org_admin.post(URL, body(make_domain())).json()
    as_org_admin.patch(f"{URL}{made['id']}/", {"password": CANARY + "2"})
    for answer in (as_org_admin.get(URL), as_org_admin.get(f"{URL}{made['id']}/"), as_org_admin.options(URL)):
        assert CANARY not in answer.content.decode()
    records = AuditEvent.objects.filter(resource_type="Gateway")
    assert CANARY not in json.dumps([[row.old, row.new] for row in records])
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM vault_gateway")
        assert CANARY not in str(cursor.fetchall())
    assert facade.open_gateway_credential(made["id"]).password == CANARY + "2"
    assert as_org_admin.get(f"{URL}{made['id']}/").json()["stored_secrets"] == ["password"]
    as_org_admin.patch(f"{URL}{made['id']}/", {"password": None}, format="json")
    assert as_org_admin.get(f"{URL}{made['id']}/").json()["stored_secrets"] == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"ip": "not a host/22"}, "ip"),
        ({"port": 0}, "port"),
        ({"port": 70000}, "port"),
        ({"port": None}, "port"),
        ({"username": "a b"}, "username"),
        ({"private_key": "nonsense"}, "private_key"),
        ({"protocol": "rdp"}, "protocol"),
        ({"password": ""}, "password"),
        ({"domain": None}, "domain"),
        ({"name": ""}, "name"),
    ],
)
@pytest.mark.spec("S5-039")
def test_bad_values_are_refused_with_the_field(as_org_admin: APIClient, change: dict[str, Any], field: str) -> None:
    answer = as_org_admin.post(URL, body(make_domain(), **change), format="json")
    assert answer.status_code == 400
    assert list(answer.json()) == [field]


@pytest.mark.spec("S5-039")
def test_port_says_what_it_is_behind_nat(as_org_admin: APIClient) -> None:
    port = as_org_admin.options(URL).json()["actions"]["POST"]["port"]
    assert "NAT" in port["help_text"]


def test_gateway_stays_in_its_domain(as_org_admin: APIClient) -> None:
    gateway = make_gateway("gate-1", make_domain())
    answer = as_org_admin.patch(f"{URL}{gateway.pk}/", {"domain": str(make_domain().pk)})
    assert answer.status_code == 400
    assert list(answer.json()) == ["domain"]


def test_last_gateway_of_a_domain_with_assets_is_kept(as_org_admin: APIClient) -> None:
    domain = make_domain("branch", assets=[make_asset()])
    first, second = make_gateway("gate-1", domain), make_gateway("gate-2", domain)
    both = as_org_admin.delete(f"{URL}?ids={first.pk},{second.pk}")
    assert both.status_code == 400
    assert Gateway.objects.count() == 2
    assert as_org_admin.delete(f"{URL}{first.pk}/").status_code == 204
    last = as_org_admin.delete(f"{URL}{second.pk}/")
    assert last.status_code == 400
    assert "branch" in last.json()["detail"]
    assert as_org_admin.patch(f"{URL}{second.pk}/", {"is_active": False}).status_code == 200


def test_deleted_gateway_takes_its_secrets_and_pinned_keys_along(as_org_admin: APIClient) -> None:
    gateway = make_gateway("gate-1", make_domain())
    key = asyncssh.generate_private_key("ssh-ed25519").export_public_key("openssh").decode()
    facade.check_gateway_host_key(actor=SYSTEM, gateway_id=gateway.pk, via="", public_key=key)
    keys = as_org_admin.get(f"/api/v1/assets/host-keys/?gateway={gateway.pk}").json()
    assert [(row["gateway"], row["asset"], row["host"]) for row in keys] == [(str(gateway.pk), None, "127.0.0.1")]
    assert as_org_admin.delete(f"{URL}{gateway.pk}/").status_code == 204
    assert not HostKey.objects.exists()
    assert not SealedSecret.objects.filter(table="vault_gateway").exists()


def test_k52_pinned_key_of_a_gateway_is_forgotten_by_an_administrator(as_org_admin: APIClient) -> None:
    gateway = make_gateway("gate-1", make_domain())
    keys = [asyncssh.generate_private_key("ssh-ed25519").export_public_key("openssh").decode() for _ in range(2)]

    def show(key: str, via: str = "") -> str:
        answer = facade.check_gateway_host_key(actor=SYSTEM, gateway_id=gateway.pk, via=via, public_key=key)
        assert answer.message == "" or "gate-1" in answer.message
        return answer.verdict.value

    assert [show(keys[0]), show(keys[0]), show(keys[1]), show(keys[1], via="other")] == [
        "pinned",
        "match",
        "changed",
        "pinned",
    ]
    row = HostKey.objects.get(gateway_id=gateway.pk, via="")
    assert as_org_admin.delete(f"/api/v1/assets/host-keys/{row.pk}/").status_code == 204
    assert AuditEvent.objects.get(event="host_key.forgotten").old["gateway"] == "gate-1"
    assert show(keys[1]) == "pinned"


def test_gateway_without_a_secret_says_so() -> None:
    with pytest.raises(FieldRefused):
        make_gateway("gate-1", make_domain(), password="")
    gateway = make_gateway("gate-2", make_domain(), username="")
    with pytest.raises(Exception, match="gate-2"):
        facade.open_gateway_credential(gateway.pk)
