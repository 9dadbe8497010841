"""What the row of a secret keeps, and the interface of a store of secrets."""

from dataclasses import dataclass
from typing import Final, Protocol

from postern.apps.vault.sealed_secrets.sealing import SealedValue, SecretPlace
from postern.foundation.configuration.secret_store import SecretStore
from postern.kernel.secret import Secret

#: `kek_version` of a secret of which nothing is encrypted with the key file.
NO_LOCAL_KEY: Final = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSecret:
    """The columns of a secret. `models.SealedSecret` says what each store keeps in them."""

    provider: SecretStore
    kek_version: int = NO_LOCAL_KEY
    wrapped_key: bytes = b""
    ciphertext: bytes = b""
    reference: str = ""
    reference_version: int = 0

    @property
    def has_local_key(self) -> bool:
        """Whether it can be decrypted with the key file alone."""
        return self.kek_version != NO_LOCAL_KEY

    def sealed_value(self) -> SealedValue:
        """The part that belongs to the key file."""
        return SealedValue(kek_version=self.kek_version, wrapped_key=self.wrapped_key, ciphertext=self.ciphertext)


class SecretProvider(Protocol):
    """A store of secrets. Its methods may be called from several threads and processes at once.

    A new store must pass `tests/unit/vault/sealed_secrets/provider_contract.py`, which tests everything that callers
    rely on. Beside the errors named here, each method raises `PosternError` with status 503 while the store cannot be
    used.
    """

    def store(self, place: SecretPlace, secret: Secret) -> StoredSecret:
        """Store a secret that only `place` can open, and return what its row must keep.

        Nothing that was stored before is changed: the caller's transaction may be rolled back, and then the former row
        must still be readable.
        """

    def open(self, stored: StoredSecret, place: SecretPlace) -> Secret:
        """The secret. Raises `SecretUnreadable` when it was altered or belongs to another place, `SecretGone` when it
        is not there.
        """
