"""Uploads an object, in parts when it is large. An interrupted upload continues with the parts that are there."""

from typing import Any, BinaryIO, Final, Protocol

from botocore.exceptions import ClientError

from postern.integrations.replay_storages.port import Copying

#: Bytes of a part, which are in memory at once. With the 10,000 parts that are permitted it reaches 78 GiB.
PART_BYTES: Final = 8 * 1024 * 1024


class Call(Protocol):
    """One call of the client."""

    def __call__(self, operation: str, **values: Any) -> Any: ...


def unfinished_uploads(call: Call, key: str) -> list[str]:
    """The uploads of an object that were begun and not completed; none when the service does not tell."""
    try:
        page = call("list_multipart_uploads", Prefix=key)
    except ClientError:
        return []
    return [str(upload["UploadId"]) for upload in page.get("Uploads", ()) if upload.get("Key") == key]


class Upload:
    """The upload of one object. Raises ClientError, StorageFailed and what `copying` raises."""

    def __init__(self, call: Call, key: str, metadata: dict[str, str]) -> None:
        self._call = call
        self._key = key
        self._metadata = metadata

    def carry_out(self, source: BinaryIO, size: int, copying: Copying) -> None:
        """Upload `size` bytes of `source`."""
        if size <= PART_BYTES:
            source.seek(0)
            body = source.read(size)
            self._call("put_object", Key=self._key, Body=body, Metadata=self._metadata, ContentLength=len(body))
            copying.advance(size)
            return
        # A process may have died after it began an upload and before it stored the id: then the service knows it.
        upload_id = copying.upload_id or next(iter(unfinished_uploads(self._call, self._key)), "")
        there = self._parts(upload_id, size) if upload_id else None
        if there is None:
            answer = self._call("create_multipart_upload", Key=self._key, Metadata=self._metadata)
            upload_id, there = str(answer["UploadId"]), {}
        if upload_id != copying.upload_id:
            copying.begin(upload_id)
        tags = self._send(source, size, copying, upload_id, there)
        self._call(
            "complete_multipart_upload",
            Key=self._key,
            UploadId=upload_id,
            MultipartUpload={"Parts": [{"PartNumber": number, "ETag": tag} for number, tag in sorted(tags.items())]},
        )

    def _send(
        self, source: BinaryIO, size: int, copying: Copying, upload_id: str, there: dict[int, str]
    ) -> dict[int, str]:
        """Send the parts that are missing; returns the tag of each part."""
        tags = dict(there)
        for number, first in enumerate(range(0, size, PART_BYTES), start=1):
            length = min(PART_BYTES, size - first)
            if number not in tags:
                source.seek(first)
                body = source.read(length)
                answer = self._call(
                    "upload_part",
                    Key=self._key,
                    UploadId=upload_id,
                    PartNumber=number,
                    Body=body,
                    ContentLength=len(body),
                )
                tags[number] = str(answer["ETag"])
            copying.advance(first + length)
        return tags

    def _parts(self, upload_id: str, size: int) -> dict[int, str] | None:
        """Number → tag of the parts that are there with the right length; None when the service knows no such upload."""
        there: dict[int, str] = {}
        marker = 0
        while True:
            try:
                page = self._call("list_parts", Key=self._key, UploadId=upload_id, PartNumberMarker=marker)
            except ClientError as error:
                if error.response.get("Error", {}).get("Code") in {"NoSuchUpload", "404"}:
                    return None
                raise
            for part in page.get("Parts", ()):
                number = int(part["PartNumber"])
                if int(part["Size"]) == min(PART_BYTES, size - (number - 1) * PART_BYTES):
                    there[number] = str(part["ETag"])
            if not page.get("IsTruncated"):
                return there
            following = int(page.get("NextPartNumberMarker") or 0)
            if following <= marker:
                return there
            marker = following
