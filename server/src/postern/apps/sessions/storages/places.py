"""Places of the sealed secrets of storages."""

from typing import Final

from postern.apps.sessions.storages.models import ReplayStorage
from postern.apps.vault import facade as vault
from postern.kernel.ids import ROOT_ORG_ID

#: Table name of storages in the places of their secrets.
REPLAY_STORAGES: Final = "sessions_replaystorage"


def place_of(storage: ReplayStorage, column: str = "") -> vault.SecretPlace:
    """Place of a secret value of `meta`."""
    return vault.SecretPlace(table=REPLAY_STORAGES, row_id=storage.pk, org_id=ROOT_ORG_ID, column=column)
