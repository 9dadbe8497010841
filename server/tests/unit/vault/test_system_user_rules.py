"""The rules of system users, one by one."""

from typing import Any

import asyncssh
import pytest

from postern.apps.vault.system_users.errors import FieldRefused
from postern.apps.vault.system_users.rules import Plan, plan

PRESENT: dict[str, Any] = {
    "name": "deploy", "username": "deploy", "type": "common", "protocol": "ssh", "login_mode": "auto", "priority": 81,
    "sudo": "/bin/whoami", "shell": "/bin/bash", "sftp_root": "tmp", "home": "/home/deploy", "system_groups": "",
    "ad_domain": "", "username_same_with_user": False, "auto_push": True, "comment": "",
}  # fmt: skip
NOT_PUSHED = ("telnet", "vnc", "mysql", "oracle", "mariadb", "postgresql", "k8s")


def made(wish: dict[str, Any], *, creating: bool = True, held: frozenset[str] = frozenset(), **present: Any) -> Plan:
    return plan(wish, {**PRESENT, **present}, creating=creating, held=set(held))


def refused_field(wish: dict[str, Any], **options: Any) -> str:
    with pytest.raises(FieldRefused) as refusal:
        made(wish, **options)
    return refusal.value.field


@pytest.mark.parametrize("protocol", NOT_PUSHED)
def test_protocols_without_push_have_no_auto_push_and_generate_nothing(protocol: str) -> None:
    result = made({"protocol": protocol, "auto_push": True, "auto_generate_key": True})
    assert (result.columns["auto_push"], result.secrets) == (False, {})


@pytest.mark.parametrize(("protocol", "secrets"), [("ssh", {"password", "private_key"}), ("rdp", {"password"})])
def test_generated_secrets_depend_on_the_protocol(protocol: str, secrets: set[str]) -> None:
    result = made({"protocol": protocol, "auto_push": True, "auto_generate_key": True})
    assert (set(result.secrets), result.columns["auto_push"]) == (secrets, True)


def test_nothing_is_generated_on_update() -> None:
    assert made({"auto_generate_key": True}, creating=False).secrets == {}


def test_manual_login_has_no_auto_push_and_generates_nothing() -> None:
    result = made({"login_mode": "manual", "auto_push": True, "auto_generate_key": True})
    assert (result.columns["auto_push"], result.secrets) == (False, {})


@pytest.mark.parametrize("protocol", ["ssh", "rdp", "telnet", "mysql", "oracle", "mariadb", "postgresql"])
def test_automatic_login_needs_a_username_if_it_is_sent(protocol: str) -> None:
    wish = {"protocol": protocol, "username": ""}
    assert refused_field(wish, username="") == "username"
    assert made({"protocol": protocol}, username="").columns["protocol"] == protocol
    assert made({**wish, "login_mode": "manual"}, username="").columns["username"] == ""
    assert made({**wish, "username_same_with_user": True}).columns["username"] == ""


@pytest.mark.parametrize("protocol", ["vnc", "k8s"])
def test_some_protocols_need_no_username(protocol: str) -> None:
    assert made({"protocol": protocol, "username": ""}).columns["username"] == ""


def test_dynamic_username_blanks_username_and_home() -> None:
    columns = made({"username": "ann", "home": "/home/ann", "username_same_with_user": True}).columns
    assert (columns["username"], columns["home"]) == ("", "")


def test_new_system_user_needs_a_secret_if_its_field_is_sent() -> None:
    assert refused_field({"password": ""}) == "password"
    assert refused_field({"protocol": "k8s", "token": ""}) == "token"
    assert made({}).secrets == {}
    assert made({"password": ""}, creating=False).secrets == {}
    assert made({"password": "", "login_mode": "manual"}).secrets == {}
    assert set(made({"protocol": "k8s", "token": "canary", "password": ""}).secrets) == {"token"}


def test_password_cannot_be_a_template() -> None:
    assert refused_field({"password": "a {{ b }}"}) == "password"


def test_private_key_is_read_and_its_public_key_derived() -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    result = made({"private_key": key.export_private_key("openssh").decode()})
    assert result.key is not None
    assert result.key.fingerprint == key.get_fingerprint("sha256")
    assert refused_field({"private_key": "no key"}) == "private_key"


@pytest.mark.parametrize("root", ["home", "tmp", "/srv/files"])
def test_sftp_root_is_home_tmp_or_a_path(root: str) -> None:
    assert made({"sftp_root": root}).columns["sftp_root"] == root
    assert refused_field({"sftp_root": f"x{root}"}) == "sftp_root"


def test_admin_users_have_fixed_values() -> None:
    wish = {
        "type": "admin", "protocol": "rdp", "login_mode": "manual", "username_same_with_user": True, "auto_push": True,
    }  # fmt: skip
    columns = made(wish).columns
    assert (columns["protocol"], columns["login_mode"]) == ("ssh", "auto")
    assert (columns["username_same_with_user"], columns["auto_push"]) == (False, False)
