"""The store `vault-kv2`: the value is in the key-value engine of HashiCorp Vault, its path and version are in the row.

Each write has a path of its own below the place of the secret. Versions of one path would be simpler to look at, but
Vault drops old versions without a word: ten writes whose transactions are rolled back would destroy the version that
the row still names.
"""

import hmac
from collections.abc import Callable, Mapping
from typing import Protocol

from postern.apps.vault.sealed_secrets.errors import SecretGone, SecretUnreadable
from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.apps.vault.sealed_secrets.stored import StoredSecret
from postern.foundation.configuration.secret_store import SecretStore
from postern.integrations.hashicorp_vault.errors import VaultMissing
from postern.kernel.ids import new_id
from postern.kernel.secret import Secret


class Documents(Protocol):
    """What this store needs of the client (`integrations.hashicorp_vault.client`)."""

    def write(self, path: str, fields: Mapping[str, str]) -> int: ...

    def read(self, path: str, version: int) -> Mapping[str, str]: ...


class VaultDocuments:
    """The `SecretProvider` of the key-value engine. `folder` returns the folder of this installation."""

    def __init__(self, documents: Documents, folder: Callable[[], str]) -> None:
        self._documents = documents
        self._folder = folder

    def store(self, place: SecretPlace, secret: Secret) -> StoredSecret:
        name = f"{_name_of(place)}.{new_id()}"
        path = f"{self._folder()}/{place.table}/{name}"
        version = self._documents.write(path, {"value": secret.reveal(), **_marks(place, name)})
        return StoredSecret(provider=SecretStore.VAULT_KV2, reference=path, reference_version=version)

    def open(self, stored: StoredSecret, place: SecretPlace) -> Secret:
        *folder, table, name = ("", *stored.reference.split("/"))
        is_plain = not {".", "..", ""} & {*folder[1:], table, name}
        if not is_plain or table != place.table or not name.startswith(f"{_name_of(place)}."):
            raise SecretUnreadable.altered()
        try:
            document = self._documents.read(stored.reference, stored.reference_version)
        except VaultMissing:
            raise SecretGone.missing() from None
        value = document.get("value")
        marks = _marks(place, name)
        fits = [hmac.compare_digest(document.get(mark, "").encode(), wanted.encode()) for mark, wanted in marks.items()]
        if value is None or not all(fits):
            raise SecretUnreadable.altered()
        return Secret(value)


def _name_of(place: SecretPlace) -> str:
    return f"{place.row_id}.{place.column}"


def _marks(place: SecretPlace, name: str) -> dict[str, str]:
    """What a document says about itself, so that a document that was copied to another path is not used there."""
    return {"place": place.associated_data().decode(), "name": name}
