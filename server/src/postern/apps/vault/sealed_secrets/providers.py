"""The stores of secrets as the settings name them.

The client of Vault is loaded with the first secret there: an installation without Vault does not pay for it.
"""

import os
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from postern.apps.vault.sealed_secrets.errors import SecretStoreMissing
from postern.apps.vault.sealed_secrets.keyring import Keyring
from postern.apps.vault.sealed_secrets.local_provider import LocalSecrets
from postern.apps.vault.sealed_secrets.models import StoreFolder
from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.apps.vault.sealed_secrets.stored import SecretProvider
from postern.apps.vault.sealed_secrets.vault_kv2 import VaultDocuments
from postern.apps.vault.sealed_secrets.vault_transit import VaultTransit
from postern.foundation.configuration.secret_store import SecretStore, VaultSettings
from postern.foundation.network import outbound
from postern.foundation.phrases import Phrase
from postern.integrations.hashicorp_vault.errors import VaultUnavailable
from postern.kernel.errors import SettingsError

if TYPE_CHECKING:
    from postern.integrations.hashicorp_vault.client import VaultClient

#: Tables of this app hold what targets and gateways are reached with. All other secrets are those that Postern itself
#: works and signs users in with (authenticator apps): they stay local, because administrators must be able to sign in
#: while Vault is down, in order to mend it.
_TABLES_OF_TARGETS: Final = "vault_"
_NOT_NAMED: Final = Phrase(
    "secret_store.not_named",
    _(
        "The secret store cannot be reached: the settings do not name it any more. Tell an administrator to set "
        "POSTERN_VAULT_ADDR and the token again."
    ),
)


def may_move(table: str) -> bool:
    """Whether secrets of this table may be stored outside the database."""
    return table.startswith(_TABLES_OF_TARGETS)


def movable_tables() -> str:
    """The beginning of the names of tables whose secrets may move."""
    return _TABLES_OF_TARGETS


def for_new(place: SecretPlace) -> SecretStore:
    """The store of a new secret."""
    store: SecretStore = settings.POSTERN.secret_store
    return store if may_move(place.table) else SecretStore.LOCAL


def provider(store: SecretStore, ring: Keyring) -> SecretProvider:
    """The store. Raises `SecretStoreMissing` when the settings do not say how it is reached."""
    if store is SecretStore.LOCAL:
        return LocalSecrets(ring)
    if store is SecretStore.VAULT_KV2:
        return VaultDocuments(client(), folder)
    return transit()


def transit() -> VaultTransit:
    """The transit store. Raises `SecretStoreMissing`."""
    return VaultTransit(client())


def is_configured() -> bool:
    """Whether this process can use Vault."""
    vault: VaultSettings | None = settings.POSTERN.vault
    return vault is not None and vault.can_sign_in


def client() -> "VaultClient":
    """The client of Vault. Raises `SecretStoreMissing`, `VaultUnavailable`."""
    return _client_of(os.getpid(), _vault_settings())


def _vault_settings() -> VaultSettings:
    """How Vault is reached. Raises `SecretStoreMissing`."""
    vault: VaultSettings | None = settings.POSTERN.vault
    if vault is None or not vault.can_sign_in:
        raise SecretStoreMissing(_NOT_NAMED.say())
    return vault


@lru_cache(maxsize=4)
def _client_of(pid: int, vault: VaultSettings) -> "VaultClient":
    """`pid`: a child of this process must not share its connections."""
    del pid
    try:
        vault.require_usable()
    except SettingsError as error:  # a file was removed since the start; users do not see its path
        raise VaultUnavailable(error.message) from None
    made: VaultClient = import_module("postern.integrations.hashicorp_vault.client").VaultClient(
        vault, outbound.check_secret_store
    )
    return made


def require_store() -> None:
    """Health check: Vault answers and accepts the token. Without Vault there is nothing to check."""
    if is_configured():
        client().check()


def folder() -> str:
    """The folder of this installation in the key-value engine."""
    row, _created = StoreFolder.objects.get_or_create(number=StoreFolder.ONLY)
    return f"{_vault_settings().folder}/{row.name}"
