"""Stores our keys for SAML providers, encrypted like all other secrets, at the place of their row."""

from uuid import UUID

from postern.apps.vault.sealed_secrets import secret_store
from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret


class SealedSamlKeys:
    """The store that authn requires (`authn.saml.signing_keys.SigningKeys`)."""

    def put(self, provider_id: UUID, key: Secret) -> None:
        secret_store.put(_place(provider_id), key)

    def get(self, provider_id: UUID) -> Secret | None:
        return secret_store.get(_place(provider_id))

    def drop(self, provider_id: UUID) -> None:
        secret_store.drop_all(_place(provider_id))


def _place(provider_id: UUID) -> SecretPlace:
    return SecretPlace(table="authn_samlprovider", row_id=provider_id, org_id=ROOT_ORG_ID, column="signing_key")
