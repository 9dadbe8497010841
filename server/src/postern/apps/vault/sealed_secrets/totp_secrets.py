"""Stores the secrets of users' authenticator apps, encrypted like all other secrets, at the place of their device."""

from uuid import UUID

from postern.apps.vault.sealed_secrets import secret_store
from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret


class SealedTotpSecrets:
    """The store that authn requires (`authn.facade.TotpSecrets`)."""

    def put(self, device_id: UUID, secret: Secret) -> None:
        secret_store.put(_place(device_id), secret)

    def get(self, device_id: UUID) -> Secret | None:
        return secret_store.get(_place(device_id))

    def drop(self, device_id: UUID) -> None:
        secret_store.drop_all(_place(device_id))


def _place(device_id: UUID) -> SecretPlace:
    return SecretPlace(table="authn_totpdevice", row_id=device_id, org_id=ROOT_ORG_ID, column="secret")
