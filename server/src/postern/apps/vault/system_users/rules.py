"""The rules of system users as a pure function: the values to write, or why they are refused (contract: system
users).
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.translation import gettext as _

from postern.apps.vault.sealed_secrets import outside
from postern.apps.vault.system_users import ssh_keys
from postern.apps.vault.system_users.errors import FieldRefused
from postern.apps.vault.system_users.models import LoginMode, SystemUserType
from postern.apps.vault.system_users.ssh_keys import KeyPair, KeyRefused
from postern.contracts.enums import Protocol
from postern.kernel.secret import Secret

#: Protocols for which an account can be created on the target.
PUSHABLE: Final = (Protocol.SSH.value, Protocol.RDP.value)
SECRET_COLUMNS: Final = ("password", "private_key", "token")
_GENERATED_PASSWORD_BYTES: Final = 24


@dataclass(slots=True)
class Plan:
    """The values to write: columns, secrets, and the names of the stored secrets to remove. Other secrets stay."""

    columns: dict[str, Any]
    secrets: dict[str, Secret] = field(default_factory=dict)
    cleared: set[str] = field(default_factory=set)
    key: KeyPair | None = None


def plan(wish: Mapping[str, Any], present: Mapping[str, Any], *, creating: bool, held: set[str]) -> Plan:
    """Turn a request into the values to write.

    `wish`: the fields that the client sent. `present`: the current columns (defaults when creating). `held`: names of
    the stored secrets. Raises `FieldRefused`.
    """
    columns = {
        name: value for name, value in wish.items() if name not in {*SECRET_COLUMNS, "public_key", "auto_generate_key"}
    }
    after = {**present, **columns}
    if after["type"] == SystemUserType.ADMIN:
        _force(
            columns,
            after,
            protocol=Protocol.SSH.value,
            login_mode=LoginMode.AUTO.value,
            username_same_with_user=False,
            auto_push=False,
        )
    manual = after["login_mode"] == LoginMode.MANUAL
    if manual or after["protocol"] not in PUSHABLE:
        _force(columns, after, auto_push=False)
    if after["username_same_with_user"]:
        _force(columns, after, username="", home="")
    elif "username" in wish and not after["username"] and not manual and after["protocol"] not in {"vnc", "k8s"}:
        raise FieldRefused("username", _("A system user with automatic sign-in needs a username."))
    _check_sftp_root(after["sftp_root"])
    result = Plan(columns)
    generate = creating and bool(wish.get("auto_generate_key")) and not manual and after["protocol"] in PUSHABLE
    if generate:
        _generate(result, ssh=after["protocol"] == Protocol.SSH.value)
    else:
        take_secrets(result, wish)
        result.cleared = cleared_secrets(wish, held)
    if creating and not generate and not manual:
        _require_a_secret(result, held, wish, protocol=after["protocol"])
    return result


def _force(columns: dict[str, Any], after: dict[str, Any], **values: Any) -> None:
    columns.update(values)
    after.update(values)


def _check_sftp_root(value: str) -> None:
    if value not in {"home", "tmp"} and not value.startswith("/"):
        raise FieldRefused("sftp_root", _("The SFTP root must be home, tmp or a path that starts with a slash."))


def _generate(result: Plan, *, ssh: bool) -> None:
    made = outside.repeatable("password", lambda: secrets.token_urlsafe(_GENERATED_PASSWORD_BYTES))
    result.secrets["password"] = Secret(made)
    if ssh:
        result.key = outside.repeatable("key", ssh_keys.generate)
        result.secrets["private_key"] = result.key.private_key


def take_secrets(result: Plan, wish: Mapping[str, Any]) -> None:
    """Add the secrets that the client sent; the passphrase of a key comes as `password`. Raises `FieldRefused`."""
    password, private_key = wish.get("password") or "", wish.get("private_key") or ""
    if "{{" in password:
        raise FieldRefused("password", _("A password cannot contain two opening braces."))
    if private_key.strip():
        try:
            # The key is written in OpenSSH's format, which contains random bytes.
            result.key = outside.repeatable(
                ("key", private_key, password), lambda: ssh_keys.read_private_key(private_key, password)
            )
        except KeyRefused as error:
            raise FieldRefused("private_key", key_message(error.code)) from error
        result.secrets["private_key"] = result.key.private_key
        if _opens_only_with(private_key, password):
            # the password was the passphrase of the key, not a password of the account
            password = ""
    if password:
        result.secrets["password"] = Secret(password)
    if wish.get("token"):
        result.secrets["token"] = Secret(wish["token"])


def cleared_secrets(wish: Mapping[str, Any], held: set[str]) -> set[str]:
    """The stored secrets that the client sent as null. A blank value leaves a secret as it is."""
    return {name for name in SECRET_COLUMNS if name in wish and wish[name] is None} & held


def _opens_only_with(private_key: str, passphrase: str) -> bool:
    if not passphrase:
        return False
    try:
        ssh_keys.read_private_key(private_key)
    except KeyRefused:
        return True
    return False


def _require_a_secret(result: Plan, held: set[str], wish: Mapping[str, Any], *, protocol: str) -> None:
    """Refuse a new system user without a secret, if the client sent its field."""
    if result.secrets or held:
        return
    if protocol == Protocol.K8S.value:
        if "token" in wish:
            raise FieldRefused("token", _("A system user for Kubernetes needs a token."))
    elif "password" in wish:
        raise FieldRefused("password", _("A system user with automatic sign-in needs a password or a private key."))


def key_message(code: str) -> str:
    """The message for a refused private key."""
    return {
        "passphrase": _("The private key is protected by a passphrase. Enter it in the password field."),
        "kind": _("This kind of private key is not supported; use Ed25519, ECDSA or RSA."),
        "size": _("The size of the private key is not accepted. RSA keys need at least 2048 bits."),
    }.get(code, _("This is not a private key in OpenSSH or PEM format."))
