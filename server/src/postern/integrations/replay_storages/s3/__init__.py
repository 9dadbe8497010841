"""Recordings in a bucket of a service with the S3 protocol: S3, Ceph, OSS, OBS, MinIO and others.

`connect` loads botocore when the first storage of this kind is used.
"""

from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import cast

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
    """How a bucket is reached. `endpoint`: `https://host[:port]`."""

    endpoint: str
    bucket: str
    access_key: str
    secret_key: Secret
    addressing: Addressing = Addressing.BY_ENDPOINT


def connect(access: Access, *, check: DialCheck) -> RemoteStore:
    """The store of a bucket. `check` judges every address that is dialled. Nothing is sent before it is used."""
    return cast("RemoteStore", import_module("postern.integrations.replay_storages.s3.bucket").Bucket(access, check))
