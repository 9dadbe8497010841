"""Where the secrets of targets lie, and how HashiCorp Vault is reached."""

import os
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from postern.foundation.configuration.environ import Address, count_between, file_of, header_secret
from postern.kernel.errors import SettingsError
from postern.kernel.secret import Secret

_VAULT_PATH: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*\Z")
_LONGEST_VAULT_PATH: Final = 128
_LONGEST_VAULT_WAIT_S: Final = 30


class SecretStore(StrEnum):
    """Where the secrets of targets lie."""

    #: In the database, sealed with the key file.
    LOCAL = "local"
    #: In the key-value engine (version 2) of HashiCorp Vault.
    VAULT_KV2 = "vault-kv2"
    #: In the database, sealed with data keys that the transit engine of HashiCorp Vault wraps.
    VAULT_TRANSIT = "vault-transit"


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultSettings:
    """How HashiCorp Vault is reached. Services that never read secrets get the address only."""

    address: str
    host: str
    port: int
    namespace: str
    ca_file: Path | None
    token: Secret | None
    token_file: Path | None
    role_id: str
    secret_id: Secret | None
    secret_id_file: Path | None
    approle_mount: str
    kv_mount: str
    folder: str
    transit_mount: str
    transit_key: str
    timeout_s: int

    @property
    def can_sign_in(self) -> bool:
        """Whether a token or an AppRole is set."""
        return self.token is not None or self.token_file is not None or bool(self.role_id)

    def require_usable(self) -> None:
        """Check what `Settings.load` leaves out: a way to sign in, and readable files. Raises SettingsError."""
        if not self.can_sign_in:
            raise SettingsError(
                "POSTERN_VAULT_TOKEN, POSTERN_VAULT_TOKEN_FILE or POSTERN_VAULT_ROLE_ID must be set with "
                "POSTERN_VAULT_ADDR"
            )
        for name, path in (
            ("POSTERN_VAULT_CA_FILE", self.ca_file),
            ("POSTERN_VAULT_TOKEN_FILE", self.token_file),
            ("POSTERN_VAULT_SECRET_ID_FILE", self.secret_id_file),
        ):
            if path is not None and not os.access(path, os.R_OK):
                raise SettingsError(f"{name} must name a readable file; it is {str(path)!r}")
        if self.ca_file is not None:
            try:
                ssl.create_default_context(cafile=str(self.ca_file))
            except (OSError, ValueError):
                raise SettingsError(
                    f"POSTERN_VAULT_CA_FILE must hold certificates as PEM; {str(self.ca_file)!r} does not"
                ) from None

    @classmethod
    def load(cls, environ: Mapping[str, str], store: SecretStore) -> "VaultSettings | None":
        """None when no address is set. Touches no file. Raises SettingsError."""
        text = environ.get("POSTERN_VAULT_ADDR", "").strip()
        if not text:
            if store is not SecretStore.LOCAL:
                raise SettingsError(f"POSTERN_VAULT_ADDR must be set, because POSTERN_SECRET_STORE is {store.value}")
            return None
        address, host, port = _vault_address(text)

        def path(name: str, default: str) -> str:
            value = environ.get(name, "").strip().strip("/") or default
            if not _VAULT_PATH.match(value) or len(value) > _LONGEST_VAULT_PATH:
                raise SettingsError(f"{name} must be a path such as {default}; it is {value!r}")
            return value

        namespace = environ.get("POSTERN_VAULT_NAMESPACE", "").strip().strip("/")
        if namespace and not _VAULT_PATH.match(namespace):
            raise SettingsError(f"POSTERN_VAULT_NAMESPACE must be a path such as team/a; it is {namespace!r}")
        loaded = cls(
            address=address,
            host=host,
            port=port,
            namespace=namespace,
            ca_file=file_of(environ, "POSTERN_VAULT_CA_FILE"),
            token=header_secret(environ, "POSTERN_VAULT_TOKEN"),
            token_file=file_of(environ, "POSTERN_VAULT_TOKEN_FILE"),
            role_id=environ.get("POSTERN_VAULT_ROLE_ID", "").strip(),
            secret_id=header_secret(environ, "POSTERN_VAULT_SECRET_ID"),
            secret_id_file=file_of(environ, "POSTERN_VAULT_SECRET_ID_FILE"),
            approle_mount=path("POSTERN_VAULT_APPROLE_MOUNT", "approle"),
            kv_mount=path("POSTERN_VAULT_KV_MOUNT", "secret"),
            folder=path("POSTERN_VAULT_FOLDER", "postern"),
            transit_mount=path("POSTERN_VAULT_TRANSIT_MOUNT", "transit"),
            transit_key=path("POSTERN_VAULT_TRANSIT_KEY", "postern"),
            timeout_s=count_between(environ, "POSTERN_VAULT_TIMEOUT", 5, 1, _LONGEST_VAULT_WAIT_S),
        )
        loaded._check_sign_in(environ, store)
        return loaded

    def _check_sign_in(self, environ: Mapping[str, str], store: SecretStore) -> None:
        given = [
            name
            for name in ("POSTERN_VAULT_TOKEN", "POSTERN_VAULT_TOKEN_FILE", "POSTERN_VAULT_ROLE_ID")
            if environ.get(name, "").strip()
        ]
        if len(given) > 1:
            raise SettingsError(f"only one of {' and '.join(given)} may be set")
        if not given and store is not SecretStore.LOCAL:
            raise SettingsError(
                "POSTERN_VAULT_TOKEN, POSTERN_VAULT_TOKEN_FILE or POSTERN_VAULT_ROLE_ID must be set, because "
                f"POSTERN_SECRET_STORE is {store.value}"
            )
        if self.secret_id is not None and self.secret_id_file is not None:
            raise SettingsError("only one of POSTERN_VAULT_SECRET_ID and POSTERN_VAULT_SECRET_ID_FILE may be set")
        if self.role_id and self.secret_id is None and self.secret_id_file is None:
            raise SettingsError(
                "POSTERN_VAULT_SECRET_ID or POSTERN_VAULT_SECRET_ID_FILE must be set with POSTERN_VAULT_ROLE_ID"
            )


def secret_store_of(environ: Mapping[str, str]) -> SecretStore:
    text = environ.get("POSTERN_SECRET_STORE", "").strip().lower() or SecretStore.LOCAL.value
    try:
        return SecretStore(text)
    except ValueError:
        names = ", ".join(store.value for store in SecretStore)
        raise SettingsError(f"POSTERN_SECRET_STORE must be one of {names}; it is {text!r}") from None


def _vault_address(text: str) -> tuple[str, str, int]:
    """The address without a slash at its end, its host, and its port."""
    wanted = "POSTERN_VAULT_ADDR must be https://HOST:PORT"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise SettingsError(wanted) from None
    if parts.scheme not in {"http", "https"} or not host or parts.path.strip("/") or parts.query or parts.fragment:
        raise SettingsError(wanted)
    if parts.username is not None or parts.password is not None:
        raise SettingsError(f"{wanted}, without a user or password")
    if parts.scheme == "http" and not Address(host, 0).is_loopback:
        raise SettingsError(f"{wanted}; http:// is accepted for this machine only, because secrets would be readable")
    port = port or (443 if parts.scheme == "https" else 80)
    return f"{parts.scheme}://{Address(host, port)}", host, port
