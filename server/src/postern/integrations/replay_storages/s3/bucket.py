"""The `RemoteStore` of a bucket. The key of an object is `<id of the storage>/<path of the recording>`, and its metadata
hold our SHA-256.

Only calls that every service of this kind has are used: no checksums of AWS, no deletion of several objects at once.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from secrets import token_bytes
from typing import Any, BinaryIO, Final, cast
from urllib.parse import urlsplit
from uuid import UUID

import botocore.session
import urllib3
from botocore.config import Config
from botocore.configprovider import BOTOCORE_DEFAUT_SESSION_VARIABLES
from botocore.exceptions import BotoCoreError, ClientError, ConnectTimeoutError, ReadTimeoutError

from postern.integrations.replay_storages.connections import READ_S, unwrapped
from postern.integrations.replay_storages.failures import CHANGED, StorageFailed
from postern.integrations.replay_storages.port import Content, Copying, require_stored_path
from postern.integrations.replay_storages.ranged_object import RangedObject, RemoteFile
from postern.integrations.replay_storages.s3 import Access, failures
from postern.integrations.replay_storages.s3.regions import region_of, uses_virtual_hosts
from postern.integrations.replay_storages.s3.transport import Transport
from postern.integrations.replay_storages.s3.upload import Upload, unfinished_uploads
from postern.integrations.web_apis import failures as web_failures
from postern.integrations.web_apis.calls import DialCheck
from postern.kernel.clock import monotonic_s
from postern.kernel.ids import new_id

#: For one call without a large body.
CALL_S: Final = 20.0
#: For one part or one range: 8 MiB at 70 KB/s.
PART_S: Final = 120.0
#: For one call for which a person waits: a small range, and all calls of a probe. 256 KiB at 25 KB/s.
PERSON_S: Final = 10.0
_SMALL_BYTES: Final = 256 * 1024
#: Completing takes a service minutes when there are many parts.
_LONG: Final = frozenset({"put_object", "upload_part", "complete_multipart_upload"})
_SHA256: Final = "sha256"
_GONE: Final = frozenset({"NoSuchKey", "404", "NotFound"})
_FORBIDDEN: Final = 403
_NO_UPLOAD: Final = frozenset({"NoSuchUpload", "404"})
#: Making a client is not thread-safe, and the descriptions that it reads are cached by the session.
_MAKING: Final = threading.Lock()
_CORE: Final = botocore.session.Session(
    # Nothing of the environment or of files in the home folder: neither credentials and profiles, nor AWS_* variables that
    # change addresses or retries.
    session_vars={
        **{
            name: (None, None, default, conversion)
            for name, (_, _, default, conversion) in BOTOCORE_DEFAUT_SESSION_VARIABLES.items()
        },
        "config_file": (None, None, os.devnull, None),
        "credentials_file": (None, None, os.devnull, None),
    }
)


class Bucket:
    """A bucket, for one thread at a time. Making one costs some milliseconds and sends nothing."""

    def __init__(self, access: Access, storage_id: UUID, check: DialCheck) -> None:
        self._bucket = access.bucket
        self._storage_id = storage_id
        self._host = str(urlsplit(access.endpoint).hostname)
        self._transport = Transport(check)
        config = Config(
            signature_version="s3v4",
            s3={"addressing_style": "virtual" if uses_virtual_hosts(access) else "path"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            retries={"mode": "standard", "total_max_attempts": 3},
            inject_host_prefix=False,
        )
        with self._errors(), _MAKING:
            self._client: Any = _CORE.create_client(
                "s3",
                endpoint_url=access.endpoint,
                region_name=access.region or region_of(access.endpoint),
                aws_access_key_id=access.access_key,
                aws_secret_access_key=access.secret_key.reveal(),
                config=config,
            )
        self._client.meta.events.register("before-send.s3", self._transport.send)
        self._client.meta.events.register("before-call.s3", _follow_no_redirect)

    def open(self, path: str, *, size: int | None = None, limit_s: float | None = None) -> BinaryIO:
        key = self._key(path)
        if size is None:
            try:
                with self._answers():
                    head = self._head(key)
                if head is None:
                    raise FileNotFoundError(path)
            except OSError:
                self._transport.close()
                raise
            size = head.size
        until_s = None if limit_s is None else monotonic_s() + limit_s
        raw = RangedObject(lambda first, last: self._range(key, first, last, until_s), size, self._transport.close)
        return cast("BinaryIO", RemoteFile(raw, self._transport.end))

    def delete(self, path: str) -> None:
        key = self._key(path)
        with closing(self._transport), self._answers():
            self._delete(key)

    def copy_in(self, path: str, source: BinaryIO, content: Content, copying: Copying) -> None:
        key = self._key(path)
        with closing(self._transport), self._answers():
            self._copy_in(key, source, content, copying)

    def _copy_in(self, key: str, source: BinaryIO, content: Content, copying: Copying) -> None:
        if self._head(key) == content:
            return
        upload = Upload(self._call, key, {_SHA256: content.sha256})
        try:
            upload.carry_out(source, content.size, copying)
        except ClientError as error:
            # Completing may have succeeded although its answer was lost: the object decides.
            if _code(error) not in _NO_UPLOAD or self._head(key) != content:
                raise self._failure(error) from error

    def give_up(self, path: str, upload_id: str) -> None:
        key = self._key(path)
        with closing(self._transport), self._answers():
            for unfinished in {*unfinished_uploads(self._call, key), upload_id} - {""}:
                try:
                    self._call("abort_multipart_upload", Key=key, UploadId=unfinished)
                except ClientError as error:
                    if _code(error) not in _NO_UPLOAD:
                        raise self._failure(error) from error

    def free_bytes(self) -> None:
        """Buckets have no fixed limit that can be asked for."""

    def probe(self) -> None:
        key, content = f".postern-test/{new_id()}", token_bytes(64)
        with closing(self._transport), self._transport.limited(PERSON_S):
            self._try("put_object", Key=key, Body=content, Metadata={_SHA256: "0" * 64})
            whole, part = self._read(key, 0, 63), self._read(key, 10, 19)
            self._try("delete_object", Key=key)
            if whole != content or part != content[10:20]:
                raise StorageFailed(CHANGED.say(host=self._host, bucket=self._bucket))
            with self._answers():
                self._probe_list(key)

    def _probe_list(self, key: str) -> None:
        """What a copy asks for before it sends: a missing object, the bucket, and unfinished uploads. Without the right to
        list, services refuse this.
        """
        self._head(key)
        self._require_bucket()
        with self._errors():
            upload_id = str(self._client.create_multipart_upload(Bucket=self._bucket, Key=key)["UploadId"])
        try:
            self._try("list_multipart_uploads", Prefix=key)
            self._try("list_parts", Key=key, UploadId=upload_id)
        finally:
            self._try("abort_multipart_upload", Key=key, UploadId=upload_id)

    def _key(self, path: str) -> str:
        return f"{self._storage_id}/{require_stored_path(path)}"

    def _head(self, key: str) -> Content | None:
        """Size and SHA-256 of an object by its metadata; None when there is none."""
        try:
            answer = self._call("head_object", Key=key)
        except ClientError as error:
            if _code(error) in _GONE:
                self._require_bucket()
                return None
            raise self._failure(self._explained(error, key)) from error
        return Content(int(answer["ContentLength"]), str(answer.get("Metadata", {}).get(_SHA256, "")))

    def _explained(self, error: ClientError, key: str) -> ClientError:
        """The refusal of a HEAD with its reason: that answer has no body, so the same is asked with a GET.

        A wrong key or a wrong clock would be taken for a missing right.
        """
        if _code(error) != str(_FORBIDDEN):
            return error
        try:
            self._call("get_object", Key=key, Range="bytes=0-0")
        except ClientError as reason:
            return reason if _status(reason) == _FORBIDDEN else error
        return error

    def _require_bucket(self) -> None:
        """A missing bucket gets the answer of a missing object from a HEAD, which has no body."""
        try:
            self._call("head_bucket")
        except ClientError as error:
            code = "NoSuchBucket" if _code(error) in _GONE else _code(error)
            raise failures.of_answer(code, _status(error), host=self._host, bucket=self._bucket) from error

    def _range(self, key: str, first: int, last: int, until_s: float | None = None) -> bytes:
        limit_s = PERSON_S if last - first < _SMALL_BYTES else PART_S
        if until_s is not None:
            limit_s = min(limit_s, max(until_s - monotonic_s(), 0.0))
        with self._transport.limited(limit_s):
            return self._read(key, first, last)

    def _read(self, key: str, first: int, last: int) -> bytes:
        with self._errors():
            answer = self._client.get_object(Bucket=self._bucket, Key=key, Range=f"bytes={first}-{last}")
            with answer["Body"] as body:
                # One byte more than asked: a service that ignores ranges must not be taken for one that has them.
                content: bytes = body.read(last - first + 2)
        if len(content) != last - first + 1:
            raise StorageFailed(CHANGED.say(host=self._host, bucket=self._bucket))
        return content

    def _delete(self, key: str) -> None:
        try:
            self._call("delete_object", Key=key)
        except ClientError as error:
            if _code(error) not in _GONE:
                raise self._failure(error) from error

    def _try(self, operation: str, **values: Any) -> None:
        with self._errors():
            getattr(self._client, operation)(Bucket=self._bucket, **values)

    def _call(self, operation: str, **values: Any) -> Any:
        """One call. Raises ClientError for an answer with an error, else StorageFailed."""
        with self._transport.limited(PART_S if operation in _LONG else CALL_S), self._errors(answers=False):
            return getattr(self._client, operation)(Bucket=self._bucket, **values)

    @contextmanager
    def _answers(self) -> Iterator[None]:
        """An answer without what every service sends, such as the id of an upload, as StorageFailed."""
        try:
            yield
        except (KeyError, TypeError, ValueError) as error:
            raise StorageFailed(failures.MALFORMED.say(host=self._host)) from error

    @contextmanager
    def _errors(self, *, answers: bool = True) -> Iterator[None]:
        """Errors of the client as StorageFailed. `answers`: answers of the service, too."""
        try:
            yield
        except ClientError as error:
            if not answers:
                raise
            if _code(error) in _GONE:
                raise FileNotFoundError(_code(error)) from error
            raise self._failure(error) from error
        except web_failures.WebApiFailed as error:
            raise StorageFailed(error.sentence) from error
        except (KeyError, TypeError, ValueError) as error:
            raise StorageFailed(failures.MALFORMED.say(host=self._host)) from error
        except (BotoCoreError, urllib3.exceptions.HTTPError, OSError) as error:
            if isinstance(error, StorageFailed | FileNotFoundError):
                raise
            refusal = unwrapped(error)
            if refusal is not None:
                raise StorageFailed(refusal.sentence) from error
            if isinstance(error, ReadTimeoutError | ConnectTimeoutError):
                raise StorageFailed(web_failures.timeout(self._host, READ_S).sentence) from error
            raise StorageFailed(web_failures.unreachable(self._host).sentence) from error

    def _failure(self, error: ClientError) -> StorageFailed:
        answer = error.response
        headers = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {})
        region = str(answer.get("Error", {}).get("Region") or headers.get("x-amz-bucket-region", ""))
        return failures.of_answer(
            _code(error), _status(error), host=self._host, bucket=self._bucket, region=region[:64]
        )


def _follow_no_redirect(params: dict[str, Any], **_: object) -> None:
    """Mark the request as redirected already. The client would ask a service that redirects everything without end."""
    params["context"].setdefault("s3_redirect", {})["redirected"] = True


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
