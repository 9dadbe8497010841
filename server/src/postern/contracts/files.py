"""The HTTP protocol of the file manager, between browser and proxy.

The browser asks for `/files/{terminal id}/{session id}/{operation}` on the public address. The web plane checks the
sign-in and the Origin, then forwards the request to `/{session id}/{operation}` at the proxy's `files_address` without
reading its body, with the headers of `contracts/browser.py` that name the person, and with `KEY_HEADER`, which shows that
it is the web plane. The proxy serves only the person of the session. The session itself is opened, and kept open, over the websocket (`open_files`).

Names are bytes. `Name.text` is for the eye only: bytes that are no text, control characters and marks of direction are
replaced by visible signs. Only `Name.id` comes back: the bytes in base64url without padding. A path (`?path=`) is
absolute, its ids joined with "/"; "" is the root of the host.

An error is a status of at least 400 with a `Problem` as JSON.
"""

import hmac
from enum import StrEnum
from typing import Final

import msgspec

FILES_PATH: Final = "/files/{terminal_id}/{session_id}/{operation}"
KEY_HEADER: Final = "X-Postern-Files-Key"
#: Upload in pieces of this size. The last one may be shorter.
SLICE_BYTES: Final = 8 * 1024 * 1024
#: A larger text is not opened for editing or preview.
MAX_TEXT_BYTES: Final = 1024 * 1024
#: A larger picture is not shown.
MAX_PICTURE_BYTES: Final = 20 * 1024 * 1024
#: How many of the last bytes of an unfinished upload the proxy states the hash of.
CHECKED_TAIL_BYTES: Final = 64 * 1024


def files_key(secret_hash: str) -> str:
    """The key for `KEY_HEADER`. Only the web plane and the proxy have the hash of the proxy's credential."""
    return hmac.digest(secret_hash.encode("ascii"), b"postern file manager", "sha256").hex()


class FileKind(StrEnum):
    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"  # a device, a pipe or a socket


class FileProblem(StrEnum):
    """Why an operation failed, and its HTTP status. Some come from the web plane, which answers its own statuses, too."""

    BAD_REQUEST = "bad_request"  # 400: what was asked makes no sense; also 405, 408 and 411
    NOT_SIGNED_IN = "not_signed_in"  # 401: the browser is not signed in, or no longer
    NOT_PERMITTED = "not_permitted"  # 403: the permission lacks the action
    DENIED = "denied"  # 403: the host refuses it
    NO_SESSION = "no_session"  # 404: no such session for this person
    NOT_FOUND = "not_found"  # 404: no such file
    EXISTS = "exists"  # 409: something with this name exists
    WRONG_OFFSET = "wrong_offset"  # 409: `offset` of the problem says where the upload continues
    NOT_EMPTY = "not_empty"  # 409: the folder is not empty
    SESSION_OVER = "session_over"  # 410
    CHANGED = "changed"  # 412: the file has changed since it was read
    TOO_LARGE = "too_large"  # 413
    BAD_RANGE = "bad_range"  # 416
    FAILED = "failed"  # 422: the host says no more than that
    LOCKED = "locked"  # 423: an administrator has locked the session
    TOO_MANY = "too_many"  # 429: too many operations at once
    HOST_GONE = "host_gone"  # 502
    PROXY_GONE = "proxy_gone"  # 502: the proxy does not answer
    UNAVAILABLE = "unavailable"  # 503: the sign-in cannot be checked at the moment
    NO_ROOM = "no_room"  # 507: the host's disk is full


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """`detail` is a sentence in the person's language."""

    code: FileProblem
    detail: str
    offset: int | None = None  # of an upload: where it continues


class Name(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    id: str


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a folder, or a file. What the host does not state is None."""

    name: Name
    kind: FileKind
    size: int | None = None  # bytes
    modified: int | None = None  # seconds since 1970
    mode: int | None = None  # permission bits, without those of the kind
    owner: str = ""
    group: str = ""
    leads_to: FileKind | None = None  # of a link: what it leads to; None if it leads nowhere, or that is not known


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """GET `place`: where a folder really is. Also the first line of GET `list`.

    `path` are the names from the root of the host. `top` is the number of its first names that make the folder above
    which nothing may be reached (the SFTP root); 0 if that is the root of the host. `free` is the room in bytes.
    """

    path: tuple[Name, ...]
    top: int
    free: int | None = None


class EndOfList(msgspec.Struct, frozen=True, kw_only=True):
    """The last line of GET `list` and of a deletion. Without it the answer is not whole.

    `count` is the number of entries listed or removed; `problem` tells why nothing follows.
    """

    count: int
    problem: Problem | None = None


class NewFolder(msgspec.Struct, frozen=True, kw_only=True):
    """POST `folder`. `path` is that of the new folder. `keep`: a folder that exists already is no error."""

    path: str
    keep: bool = False


class Move(msgspec.Struct, frozen=True, kw_only=True):
    """POST `move`: rename or move. Without `replace`, `exists` if something has the new name."""

    path: str
    to: str
    replace: bool = False


class NewName(msgspec.Struct, frozen=True, kw_only=True):
    """POST `name`: the id of a name that a person typed, as `Name` in the answer. `bad_request` if it is no name."""

    text: str


class Delete(msgspec.Struct, frozen=True, kw_only=True):
    """POST `delete`. Folders with everything in them; links themselves. Answers with lines: a `Deleted` now and then,
    `EndOfList` at last.
    """

    paths: tuple[str, ...]


class Deleted(msgspec.Struct, frozen=True, kw_only=True):
    so_far: int


class ChangeMode(msgspec.Struct, frozen=True, kw_only=True):
    """POST `mode`. `mode` are permission bits, at most 0o7777."""

    path: str
    mode: int


class TextFile(msgspec.Struct, frozen=True, kw_only=True):
    """GET `text`. `etag` comes back in `If-Match` when it is saved (PUT `text`, the body is the text in UTF-8)."""

    text: str
    charset: str
    etag: str
    is_writable: bool  # whether the action and the charset allow that it is saved


class BeginUpload(msgspec.Struct, frozen=True, kw_only=True):
    """POST `upload`. `path` is that of the new file. `modified` is the time of the local file, in seconds.

    An unfinished upload of the same file by the same person continues, unless `fresh`. Without `replace`, `exists` if
    something has the name.
    """

    path: str
    size: int
    modified: int
    replace: bool = False
    fresh: bool = False


class UploadState(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to POST `upload` and to PUT `upload/{id}?offset=`, whose body is the next slice.

    `offset` is where the upload continues. `tail_sha256` is the hash of the bytes before it, at most
    `CHECKED_TAIL_BYTES`, when an upload continues: the page compares them with its own, and begins afresh if they differ.
    """

    id: str
    offset: int
    slice_bytes: int
    tail_sha256: str = ""


class FinishUpload(msgspec.Struct, frozen=True, kw_only=True):
    """POST `upload/{id}/finish`: checks the size, and gives the file its name. Answers with an `UploadEnd`."""

    replace: bool = False


class UploadEnd(msgspec.Struct, frozen=True, kw_only=True):
    entry: Entry
    sha256: str  # hexadecimal
    is_atomic: bool  # whether the file took its name in one step
