"""Encryption of secrets: AES-256-GCM with one data key per secret, which is wrapped by a key-encryption key.

Both layers are bound to the place of the secret (table, row, organization, column). The wrapped key is also bound to
the version of the key-encryption key. A value that is copied into another row cannot be decrypted. Pure functions over
bytes.
"""

import secrets
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from postern.kernel.secret import Secret

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12


class SealBroken(Exception):
    """The encrypted value was altered, moved to another row, or encrypted with another key."""


@dataclass(frozen=True, slots=True)
class SecretPlace:
    """The place of a secret. `table` and `column` are constants of the code, never input."""

    table: str
    row_id: UUID
    org_id: UUID
    column: str

    def associated_data(self) -> bytes:
        return f"postern.secret.1|{self.table}|{self.row_id}|{self.org_id}|{self.column}".encode()


@dataclass(frozen=True, slots=True)
class SealedValue:
    """An encrypted secret as stored. `wrapped_key` and `ciphertext` start with their nonce (12 bytes)."""

    kek_version: int
    wrapped_key: bytes
    ciphertext: bytes


def seal(secret: Secret, place: SecretPlace, *, kek: bytes, kek_version: int) -> SealedValue:
    """Encrypt `secret` for `place` with a new data key."""
    data_key = new_data_key()
    return SealedValue(
        kek_version=kek_version,
        wrapped_key=_wrap(data_key, place, kek=kek, kek_version=kek_version),
        ciphertext=encrypt(data_key, secret, place),
    )


def unseal(value: SealedValue, place: SecretPlace, *, kek: bytes) -> Secret:
    """Decrypt the secret. Raises `SealBroken` when the value or its place was changed."""
    return decrypt(_unwrap(value, place, kek=kek), value.ciphertext, place)


def new_data_key() -> bytes:
    """A key for one secret."""
    return AESGCM.generate_key(KEY_BYTES * 8)


def unwrap(value: SealedValue, place: SecretPlace, *, kek: bytes) -> bytes:
    """The data key of a sealed secret. Raises `SealBroken`."""
    return _unwrap(value, place, kek=kek)


def encrypt(data_key: bytes, secret: Secret, place: SecretPlace) -> bytes:
    """Encrypt the secret of `place` with its data key."""
    return _encrypt(data_key, secret.reveal().encode("utf-8"), place.associated_data())


def decrypt(data_key: bytes, ciphertext: bytes, place: SecretPlace) -> Secret:
    """Decrypt the secret of `place` with its data key. Raises `SealBroken`."""
    return Secret(_decrypt(data_key, ciphertext, place.associated_data()).decode("utf-8"))


def rewrap(value: SealedValue, place: SecretPlace, *, old_kek: bytes, new_kek: bytes, new_version: int) -> SealedValue:
    """Rewrap the secret for another key-encryption key: only the small wrapped key changes."""
    data_key = _unwrap(value, place, kek=old_kek)
    return SealedValue(
        kek_version=new_version,
        wrapped_key=_wrap(data_key, place, kek=new_kek, kek_version=new_version),
        ciphertext=value.ciphertext,
    )


def _wrap(data_key: bytes, place: SecretPlace, *, kek: bytes, kek_version: int) -> bytes:
    return _encrypt(kek, data_key, _wrap_context(place, kek_version))


def _unwrap(value: SealedValue, place: SecretPlace, *, kek: bytes) -> bytes:
    return _decrypt(kek, value.wrapped_key, _wrap_context(place, value.kek_version))


def _wrap_context(place: SecretPlace, kek_version: int) -> bytes:
    return place.associated_data() + f"|kek {kek_version}".encode()


def _encrypt(key: bytes, plain: bytes, associated_data: bytes) -> bytes:
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, plain, associated_data)


def _decrypt(key: bytes, sealed: bytes, associated_data: bytes) -> bytes:
    try:
        return AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], associated_data)
    except (InvalidTag, ValueError) as error:
        raise SealBroken("a sealed secret cannot be decrypted at its place") from error
