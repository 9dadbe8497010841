"""The local store: secrets are in the database, sealed with the key file."""

from postern.apps.vault.sealed_secrets import sealing
from postern.apps.vault.sealed_secrets.errors import SecretUnreadable
from postern.apps.vault.sealed_secrets.keyring import Keyring
from postern.apps.vault.sealed_secrets.sealing import SealBroken, SecretPlace
from postern.apps.vault.sealed_secrets.stored import StoredSecret
from postern.foundation.configuration.secret_store import SecretStore
from postern.kernel.secret import Secret


class LocalSecrets:
    """The `SecretProvider` of a key file."""

    def __init__(self, ring: Keyring) -> None:
        self._ring = ring

    def store(self, place: SecretPlace, secret: Secret) -> StoredSecret:
        key = self._ring.current()
        value = sealing.seal(secret, place, kek=key.raw(), kek_version=key.version)
        return StoredSecret(
            provider=SecretStore.LOCAL,
            kek_version=value.kek_version,
            wrapped_key=value.wrapped_key,
            ciphertext=value.ciphertext,
        )

    def open(self, stored: StoredSecret, place: SecretPlace) -> Secret:
        key = self._ring.version(stored.kek_version)
        try:
            return sealing.unseal(stored.sealed_value(), place, kek=key.raw())
        except SealBroken as error:
            raise SecretUnreadable.altered() from error

    def data_key(self, stored: StoredSecret, place: SecretPlace) -> bytes:
        """The data key of a stored secret, in order to wrap it in another way. Raises `SecretUnreadable`."""
        key = self._ring.version(stored.kek_version)
        try:
            return sealing.unwrap(stored.sealed_value(), place, kek=key.raw())
        except SealBroken as error:
            raise SecretUnreadable.altered() from error
