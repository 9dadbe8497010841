"""The store `vault-transit`: secrets are in the database, sealed with data keys that HashiCorp Vault wraps.

The ciphertext is bound to its place as in the local store. The data key is wrapped together with a hash of the place,
so neither can be used at another place, whatever the type of Vault's key.
"""

import hashlib
import hmac
import re
from typing import Final, Protocol

from postern.apps.vault.sealed_secrets import sealing
from postern.apps.vault.sealed_secrets.errors import SecretUnreadable
from postern.apps.vault.sealed_secrets.sealing import KEY_BYTES, SealBroken, SecretPlace
from postern.apps.vault.sealed_secrets.stored import StoredSecret
from postern.foundation.configuration.secret_store import SecretStore
from postern.integrations.hashicorp_vault.errors import VaultUndecryptable
from postern.kernel.errors import Unavailable
from postern.kernel.secret import Secret

_WRAPPED: Final = re.compile(r"vault:v([1-9][0-9]{0,8}):[A-Za-z0-9+/=]{1,900}", re.ASCII)


class Transit(Protocol):
    """What this store needs of the client (`integrations.hashicorp_vault.client`)."""

    def encrypt(self, plain: bytes) -> str: ...

    def decrypt(self, ciphertext: str) -> bytes: ...


class VaultTransit:
    """The `SecretProvider` of the transit engine."""

    def __init__(self, transit: Transit) -> None:
        self._transit = transit

    def store(self, place: SecretPlace, secret: Secret) -> StoredSecret:
        data_key = sealing.new_data_key()
        return self.wrap(place, data_key, sealing.encrypt(data_key, secret, place))

    def wrap(self, place: SecretPlace, data_key: bytes, ciphertext: bytes) -> StoredSecret:
        """Store a ciphertext that exists, with its data key wrapped by Vault."""
        wrapped = self._transit.encrypt(data_key + _hash_of(place))
        return StoredSecret(
            provider=SecretStore.VAULT_TRANSIT,
            ciphertext=ciphertext,
            reference=wrapped,
            reference_version=key_version(wrapped),
        )

    def open(self, stored: StoredSecret, place: SecretPlace) -> Secret:
        if not _WRAPPED.fullmatch(stored.reference):
            raise SecretUnreadable.altered()
        try:
            plain = self._transit.decrypt(stored.reference)
        except VaultUndecryptable:
            raise SecretUnreadable.altered() from None
        data_key, place_hash = plain[:KEY_BYTES], plain[KEY_BYTES:]
        if not hmac.compare_digest(place_hash, _hash_of(place)):
            raise SecretUnreadable.altered()
        try:
            return sealing.decrypt(data_key, stored.ciphertext, place)
        except SealBroken:
            raise SecretUnreadable.altered() from None


def key_version(wrapped: str) -> int:
    """The version of Vault's key in a wrapped data key. Raises `Unavailable` for a text that is none."""
    match = _WRAPPED.fullmatch(wrapped)
    if match is None:
        raise Unavailable("the transit engine returned no ciphertext")
    return int(match[1])


def _hash_of(place: SecretPlace) -> bytes:
    return hashlib.sha256(place.associated_data()).digest()
