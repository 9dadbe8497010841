"""Stores the values of secret settings, encrypted like all other secrets."""

from typing import Final
from uuid import UUID, uuid5

from postern.apps.vault.sealed_secrets import secret_store
from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret

#: Settings have names, places of secrets have ids: the id of a name under this namespace (RFC 9562, version 5).
_NAMES: Final = UUID("6f0f5d0c-5a5e-5c39-9d3e-0c1c4b6f7a10")


class SealedSettingSecrets:
    """The store that preferences require (`preferences.setting_secrets.SettingSecrets`)."""

    def put(self, name: str, secret: Secret) -> None:
        secret_store.put(_place(name), secret)

    def get(self, name: str) -> Secret | None:
        return secret_store.get(_place(name))

    def drop(self, name: str) -> None:
        secret_store.drop_all(_place(name))


def _place(name: str) -> SecretPlace:
    return SecretPlace(
        table="preferences_preferencevalue", row_id=uuid5(_NAMES, name), org_id=ROOT_ORG_ID, column="value"
    )
