"""Recordings in a container of Azure Blob Storage.

`connect` loads the SDK of Azure when the first storage of this kind is used.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import cast
from uuid import UUID

from postern.integrations.replay_storages.port import RemoteStore
from postern.integrations.web_apis.calls import DialCheck
from postern.kernel.secret import Secret


@dataclass(frozen=True, slots=True)
class Access:
    """How a container is reached. `endpoint`: `https://<account>.blob.<suffix>`."""

    endpoint: str
    container: str
    account_name: str
    account_key: Secret


def connect(access: Access, *, storage_id: UUID, check: DialCheck) -> RemoteStore:
    """The blobs of one storage in a container. Nothing is sent before it is used.

    The names of blobs begin with `storage_id`, as those of objects in a bucket do. `check` judges every address that is
    dialled.
    """
    made = import_module("postern.integrations.replay_storages.azure.container").Container(access, storage_id, check)
    return cast("RemoteStore", made)
