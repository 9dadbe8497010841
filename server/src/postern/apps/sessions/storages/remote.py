"""Connections to remote storages, with their sealed keys."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from postern.apps.sessions.storages.kinds import META, ReplayStorageType
from postern.apps.sessions.storages.models import ReplayStorage
from postern.apps.sessions.storages.places import place_of
from postern.apps.vault import facade as vault
from postern.foundation.network import outbound
from postern.foundation.phrases import Phrase
from postern.integrations.replay_storages import azure, s3
from postern.integrations.replay_storages.failures import StorageFailed
from postern.integrations.replay_storages.port import RemoteStore
from postern.kernel.secret import Secret

_NO_KEYS: Final = Phrase("storage.no_keys", _("The storage has no access key or no secret key. Enter both."))
_GONE: Final = Phrase("storage.gone", _("The storage was deleted."))

_ADDRESSING: Final = {
    ReplayStorageType.S3: s3.Addressing.BY_ENDPOINT,
    ReplayStorageType.CEPH: s3.Addressing.PATH,
    ReplayStorageType.SWIFT: s3.Addressing.PATH,
    ReplayStorageType.OSS: s3.Addressing.VIRTUAL,
    ReplayStorageType.OBS: s3.Addressing.VIRTUAL,
}


def connect(storage: ReplayStorage) -> RemoteStore:
    """The store of a remote storage. Sends nothing. Raises StorageFailed, and PosternError of the secret store."""
    keys: dict[str, Secret] = {}
    for field in META[storage.type]:
        if field.is_secret:
            secret = vault.get_secret(place_of(storage, field.name))
            if secret is None:
                raise StorageFailed(_NO_KEYS.say())
            keys[field.name] = secret
    return connect_with(storage.meta, keys, storage)


def connect_with(meta: Mapping[str, str], keys: Mapping[str, Secret], storage: ReplayStorage) -> RemoteStore:
    """`connect` with other values than the stored ones."""
    if storage.type == ReplayStorageType.AZURE:
        container = azure.Access(
            endpoint=f"https://{meta['ACCOUNT_NAME']}.blob.{meta['ENDPOINT_SUFFIX']}",
            container=meta["CONTAINER_NAME"],
            account_name=meta["ACCOUNT_NAME"],
            account_key=keys["ACCOUNT_KEY"],
        )
        return azure.connect(container, storage_id=storage.pk, check=outbound.check_dial)
    bucket = s3.Access(
        endpoint=meta["ENDPOINT"],
        bucket=meta["BUCKET"],
        access_key=keys["ACCESS_KEY"].reveal(),
        secret_key=keys["SECRET_KEY"],
        addressing=_ADDRESSING[ReplayStorageType(storage.type)],
        region=meta.get("REGION", ""),
    )
    return s3.connect(bucket, storage_id=storage.pk, check=outbound.check_dial)


def connect_to(storage_id: UUID) -> RemoteStore:
    """`connect` by id."""
    storage = ReplayStorage.objects.filter(pk=storage_id).first()
    if storage is None:
        raise StorageFailed(_GONE.say())
    return connect(storage)
