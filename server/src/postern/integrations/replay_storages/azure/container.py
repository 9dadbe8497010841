"""The `RemoteStore` of a container. The name of a blob is `<id of the storage>/<path of the recording>`, and its metadata
hold our SHA-256.
"""

import base64
import binascii
import hashlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from secrets import token_bytes
from typing import Any, BinaryIO, Final, cast
from urllib.parse import urlsplit
from uuid import UUID

import urllib3
from azure.core.credentials import AzureNamedKeyCredential
from azure.core.exceptions import (
    AzureError,
    HttpResponseError,
    ResourceNotFoundError,
    ServiceRequestTimeoutError,
    ServiceResponseTimeoutError,
)
from azure.storage.blob import BlobBlock, BlobClient, ContainerClient

from postern.integrations.replay_storages.azure import Access, failures
from postern.integrations.replay_storages.azure.transport import transport_of
from postern.integrations.replay_storages.connections import CONNECT_S, READ_S, Connections, unwrapped
from postern.integrations.replay_storages.failures import CHANGED, StorageFailed
from postern.integrations.replay_storages.port import Content, Copying, require_stored_path
from postern.integrations.replay_storages.ranged_object import RangedObject, RemoteFile
from postern.integrations.web_apis import failures as web_failures
from postern.integrations.web_apis.calls import DialCheck
from postern.kernel.clock import monotonic_s
from postern.kernel.ids import new_id

#: Bytes of a block, which are in memory at once. With the 50,000 blocks that are permitted it reaches 390 GiB.
BLOCK_BYTES: Final = 8 * 1024 * 1024
#: For one call without a large body.
CALL_S: Final = 20.0
#: For one block or one range: 8 MiB at 70 KB/s.
PART_S: Final = 120.0
#: For one call for which a person waits: a small range, and all calls of a probe.
PERSON_S: Final = 10.0
_SMALL_BYTES: Final = 256 * 1024
_SHA256: Final = "sha256"
#: Azure has no ids of uploads: blocks belong to the name of the blob until they are committed.
_UPLOAD: Final = "blocks"
_BLOB_GONE: Final = "BlobNotFound"
_LATE: Final = "Request date header"
_ATTEMPTS: Final = 2


class Container:
    """A container, for one thread at a time. Making one sends nothing."""

    def __init__(self, access: Access, storage_id: UUID, check: DialCheck) -> None:
        self._name = access.container
        self._storage_id = storage_id
        self._host = str(urlsplit(access.endpoint).hostname)
        key = access.account_key.reveal()
        try:
            base64.b64decode(key, validate=True)
        except (binascii.Error, ValueError):
            raise StorageFailed(failures.BAD_KEY.say()) from None
        self._connections = Connections(check)
        self._client = ContainerClient(
            access.endpoint,
            access.container,
            credential=AzureNamedKeyCredential(access.account_name, key),
            transport=transport_of(self._connections),
            retry_total=_ATTEMPTS,
            initial_backoff=1,
            increment_base=1,
            random_jitter_range=0,
            permit_redirects=False,
            connection_timeout=CONNECT_S,
            read_timeout=READ_S,
            max_single_put_size=BLOCK_BYTES,
            secondary_hostname=None,
        )

    def open(self, path: str, *, size: int | None = None, limit_s: float | None = None) -> BinaryIO:
        blob = self._blob(path)
        if size is None:
            try:
                head = self._head(blob)
            except OSError:
                self._connections.close()
                raise
            if head is None:
                self._connections.close()
                raise FileNotFoundError(path)
            size = head.size
        until_s = None if limit_s is None else monotonic_s() + limit_s
        raw = RangedObject(lambda first, last: self._range(blob, first, last, until_s), size, self._connections.close)
        return cast("BinaryIO", RemoteFile(raw, self._connections.end))

    def delete(self, path: str) -> None:
        blob = self._blob(path)
        with closing(self._connections), suppress(FileNotFoundError), self._call():
            blob.delete_blob()

    def copy_in(self, path: str, source: BinaryIO, content: Content, copying: Copying) -> None:
        blob = self._blob(path)
        with closing(self._connections):
            if self._head(blob) == content:
                return
            metadata = {_SHA256: content.sha256}
            if content.size <= BLOCK_BYTES:
                source.seek(0)
                body = source.read(content.size)
                with self._call(PART_S):
                    blob.upload_blob(body, length=len(body), overwrite=True, metadata=metadata)
                copying.advance(content.size)
                return
            self._copy_blocks(blob, source, content, copying)

    def _copy_blocks(self, blob: BlobClient, source: BinaryIO, content: Content, copying: Copying) -> None:
        """Send the blocks that are missing. Their ids name the content, so blocks of another one are never used."""
        there = self._blocks(blob)
        if copying.upload_id != _UPLOAD:
            copying.begin(_UPLOAD)
        ids = []
        for number, first in enumerate(range(0, content.size, BLOCK_BYTES)):
            length = min(BLOCK_BYTES, content.size - first)
            name = _block_id(content, number)
            ids.append(name)
            if there.get(name) != length:
                source.seek(first)
                body = source.read(length)
                with self._call(PART_S):
                    blob.stage_block(name, body, length=len(body))
            copying.advance(first + length)
        with self._call(PART_S):
            blob.commit_block_list([BlobBlock(name) for name in ids], metadata={_SHA256: content.sha256})

    def give_up(self, path: str, upload_id: str) -> None:
        del upload_id
        blob = self._blob(path)
        with closing(self._connections):
            # Blocks are dropped by a new content. Those behind a complete blob end by themselves after a week.
            if self._blocks(blob) and self._head(blob) is None:
                with self._call():
                    blob.upload_blob(b"", overwrite=True)
                with suppress(FileNotFoundError), self._call():
                    blob.delete_blob()

    def free_bytes(self) -> None:
        """Containers have no fixed limit that can be asked for."""

    def probe(self) -> None:
        blob, content = self._client.get_blob_client(f".postern-test/{new_id()}"), token_bytes(64)
        with closing(self._connections), self._connections.limited(PERSON_S):
            with self._call():
                blob.upload_blob(content, overwrite=True, metadata={_SHA256: "0" * 64})
            whole, part = self._read(blob, 0, 63), self._read(blob, 10, 19)
            with self._call():
                blob.delete_blob()
            if whole != content or part != content[10:20]:
                raise self._changed()
            with self._call():
                blob.stage_block(_block_id(Content(64, "0" * 64), 0), content)
            if not self._blocks(blob) or self._head(blob) is not None:
                raise self._changed()
            with self._call():
                blob.upload_blob(b"", overwrite=True)
            with self._call():
                blob.delete_blob()

    def _blob(self, path: str) -> BlobClient:
        return self._client.get_blob_client(f"{self._storage_id}/{require_stored_path(path)}")

    def _head(self, blob: BlobClient) -> Content | None:
        """Size and SHA-256 of a blob by its metadata; None when there is none."""
        try:
            with self._call():
                properties = blob.get_blob_properties()
        except FileNotFoundError:
            return None
        return Content(int(properties.size), str((properties.metadata or {}).get(_SHA256, "")))

    def _blocks(self, blob: BlobClient) -> dict[str, int]:
        """Id → size of the blocks that were sent and are not committed."""
        try:
            with self._call():
                _committed, waiting = blob.get_block_list("uncommitted")
        except FileNotFoundError:
            return {}
        return {str(block.id): int(block.size) for block in waiting}

    def _range(self, blob: BlobClient, first: int, last: int, until_s: float | None) -> bytes:
        limit_s = PERSON_S if last - first < _SMALL_BYTES else PART_S
        if until_s is not None:
            limit_s = min(limit_s, max(until_s - monotonic_s(), 0.0))
        with self._connections.limited(limit_s):
            return self._read(blob, first, last)

    def _read(self, blob: BlobClient, first: int, last: int) -> bytes:
        with self._call(PART_S):
            content: bytes = blob.download_blob(offset=first, length=last - first + 1).readall()
        if len(content) != last - first + 1:
            raise self._changed()
        return content

    def _changed(self) -> StorageFailed:
        return StorageFailed(CHANGED.say(host=self._host, bucket=self._name))

    @contextmanager
    def _call(self, limit_s: float = CALL_S) -> Iterator[None]:
        """One call within a limit, with the errors of the SDK as StorageFailed; FileNotFoundError for a missing blob."""
        try:
            with self._connections.limited(limit_s):
                yield
        except web_failures.WebApiFailed as error:
            raise StorageFailed(error.sentence) from error
        except ResourceNotFoundError as error:
            if _code(error) == _BLOB_GONE:
                raise FileNotFoundError(_BLOB_GONE) from error
            raise self._failure(error) from error
        except HttpResponseError as error:
            raise self._failure(error) from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise StorageFailed(failures.MALFORMED.say(host=self._host)) from error
        except (AzureError, urllib3.exceptions.HTTPError, OSError) as error:
            if isinstance(error, StorageFailed | FileNotFoundError):
                raise
            refusal = unwrapped(error)
            if refusal is not None:
                raise StorageFailed(refusal.sentence) from error
            if isinstance(error, ServiceRequestTimeoutError | ServiceResponseTimeoutError):
                raise StorageFailed(web_failures.timeout(self._host, READ_S).sentence) from error
            raise StorageFailed(web_failures.unreachable(self._host).sentence) from error

    def _failure(self, error: HttpResponseError) -> StorageFailed:
        if error.status_code is None:
            return StorageFailed(failures.MALFORMED.say(host=self._host))
        is_late = _LATE in str(error)
        return failures.of_answer(
            _code(error), int(error.status_code), host=self._host, container=self._name, is_late=is_late
        )


def _code(error: HttpResponseError) -> str:
    code: Any = getattr(error, "error_code", None)
    return str(getattr(code, "value", code) or "")


def _block_id(content: Content, number: int) -> str:
    """Ids of the blocks of a blob have one length. The SDK encodes them in Base64."""
    digest = hashlib.sha256(f"{content.sha256} {content.size}".encode()).hexdigest()[:16]
    return f"{digest}-{number:06d}"
