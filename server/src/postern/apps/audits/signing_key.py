"""The key that signs checkpoints and exports of the audit log, so that others can check them without any secret.

secrets/audit_signing_key.pem   the current private key; rotation replaces it
secrets/audit_next_key.pem      the key of a rotation that has not ended yet
secrets/audit_signing_key.pub   its public key: 64 hex digits and a line end
secrets/audit_keys/<id>.pub     every public key that has signed here
"""

import os
import secrets
from pathlib import Path
from typing import Final, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from django.conf import settings

from postern.contracts.recording import TrustedKeys, key_id
from postern.foundation.machine import secret_files
from postern.kernel.errors import SettingsError

PRIVATE_KEY: Final = "audit_signing_key.pem"
NEXT_KEY: Final = "audit_next_key.pem"
PUBLIC_KEY: Final = "audit_signing_key.pub"
FOLDER: Final = "audit_keys"


class SigningKey:
    """An Ed25519 key pair. `public` has 32 bytes."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.key_id = key_id(self.public)

    @classmethod
    def current(cls) -> Self:
        """The current key, made at its first use. Raises SettingsError when its file is no such key, or OSError."""
        key = cls(_private_key(secret_files.read_or_create(_folder() / PRIVATE_KEY, _new_pem)))
        key.publish()
        return key

    @classmethod
    def next(cls) -> Self:
        """The key of the next rotation, which is trusted and signs nothing yet. The same until `install`.

        Raises SettingsError, OSError.
        """
        key = cls(_private_key(secret_files.read_or_create(_folder() / NEXT_KEY, _new_pem)))
        key.trust()
        return key

    def sign(self, message: bytes) -> bytes:
        """The signature: 64 bytes."""
        return self._private.sign(message)

    def publish(self) -> None:
        """Store the public key among the trusted keys, and as the current one."""
        self.trust()
        _store(_folder() / PUBLIC_KEY, self.public.hex() + "\n")

    def trust(self) -> None:
        """Store the public key among the trusted keys."""
        _store(trusted_keys().path_of(self.key_id), self.public.hex() + "\n")

    def install(self) -> None:
        """Sign with this key, which `next` has made, from now on. The private half of the former key is gone."""
        try:
            (_folder() / NEXT_KEY).replace(_folder() / PRIVATE_KEY)
        except FileNotFoundError:
            if present_id() != self.key_id:  # otherwise another process has installed it
                raise
        _to_disk(_folder())
        self.publish()


def trusted_keys() -> TrustedKeys:
    """The public keys that have signed here."""
    return TrustedKeys(settings.POSTERN.secrets_dir, folder=FOLDER, public_key=PUBLIC_KEY)


def present_id() -> str:
    """The id of the current key; "" when there is none yet."""
    return SigningKey.current().key_id if (_folder() / PRIVATE_KEY).exists() else ""


def _folder() -> Path:
    folder: Path = settings.POSTERN.secrets_dir
    return folder


def _private_key(pem: str) -> Ed25519PrivateKey:
    try:
        private = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError) as error:
        raise SettingsError("the signing key of the audit log is damaged") from error
    if not isinstance(private, Ed25519PrivateKey):
        raise SettingsError("the signing key of the audit log is not an Ed25519 key")
    return private


def _new_pem() -> str:
    return _pem(Ed25519PrivateKey.generate())


def _pem(private: Ed25519PrivateKey) -> str:
    return private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode().strip()


def _store(path: Path, text: str) -> None:
    """Replace a file as a whole, with mode 0600; nothing happens when it has this text."""
    if path.exists() and path.read_text(encoding="ascii") == text:
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    _to_disk(path.parent)


def _to_disk(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
