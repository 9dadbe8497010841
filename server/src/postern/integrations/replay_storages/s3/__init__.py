"""Recordings in a bucket of a service with the S3 protocol: S3, Ceph, OSS, OBS, MinIO and others.

`connect` loads botocore when the first storage of this kind is used.
"""

from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import cast
from uuid import UUID

from postern.integrations.replay_storages.port import RemoteStore
from postern.integrations.web_apis.calls import DialCheck
from postern.kernel.secret import Secret


class Addressing(Enum):
    """Where the bucket is in the address: in front of the host, in the path, or as the endpoint usually has it."""

    VIRTUAL = "virtual"
    PATH = "path"
    BY_ENDPOINT = "auto"


@dataclass(frozen=True, slots=True)
class Access:
    """How a bucket is reached. `endpoint`: `https://host[:port]`. Without a `region` the endpoint says which it is."""

    endpoint: str
    bucket: str
    access_key: str
    secret_key: Secret
    addressing: Addressing = Addressing.BY_ENDPOINT
    region: str = ""


def connect(access: Access, *, storage_id: UUID, check: DialCheck) -> RemoteStore:
    """The objects of one storage in a bucket. Nothing is sent before it is used.

    Two storages may reach the same bucket, by other names of its host as well: each sees only its own objects, whose
    keys begin with `storage_id`. `check` judges every address that is dialled.
    """
    made = import_module("postern.integrations.replay_storages.s3.bucket").Bucket(access, storage_id, check)
    return cast("RemoteStore", made)
