"""Stores what Postern keeps secret for sign-in providers, encrypted like all other secrets, at the place of their row."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from postern.apps.vault.sealed_secrets import secret_store
from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret


@dataclass(frozen=True, slots=True)
class FederatedSecrets:
    """A store that authn requires (`authn.federation.sealed_secrets.SealedSecrets`)."""

    table: str
    column: str

    def put(self, provider_id: UUID, secret: Secret) -> None:
        secret_store.put(self._place(provider_id), secret)

    def get(self, provider_id: UUID) -> Secret | None:
        return secret_store.get(self._place(provider_id))

    def drop(self, provider_id: UUID) -> None:
        secret_store.drop_all(self._place(provider_id))

    def _place(self, provider_id: UUID) -> SecretPlace:
        return SecretPlace(table=self.table, row_id=provider_id, org_id=ROOT_ORG_ID, column=self.column)


CLIENT_SECRETS: Final = FederatedSecrets("authn_openidprovider", "client_secret")
SIGNING_KEYS: Final = FederatedSecrets("authn_samlprovider", "signing_key")
DECRYPTION_KEYS: Final = FederatedSecrets("authn_samlprovider", "decryption_key")
