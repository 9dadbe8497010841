"""The interface of a storage for recordings.

A recording arrives from its proxy in parts, under a lock. It is hashed as stored, and only then gets its final path.
Files with a final path are complete, checked, and never written again. From the place where it arrived a recording is
copied to any other storage.

Failures of a storage (unreachable, full, not permitted) raise `OSError`. They lose nothing: an unacknowledged part is
sent again, a failed copy continues later, and a failed deletion is retried in the next round.
"""

import re
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Final, Protocol
from uuid import UUID

#: File extension of stored and exported recordings.
SUFFIX: Final = ".postern"
_STORED: Final = re.compile(rf"\d{{4}}/\d\d/\d\d/[0-9a-f-]{{36}}{re.escape(SUFFIX)}")


def require_stored_path(path: str) -> str:
    """`path`, if a storage may have given it to a recording. Raises FileNotFoundError for every other text."""
    if not _STORED.fullmatch(path):
        raise FileNotFoundError(path)
    return path


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a stored recording: their number, and their hex SHA-256."""

    size: int
    sha256: str


class Copying(Protocol):
    """The progress of a copy, which its caller stores so that another process can continue."""

    @property
    def upload_id(self) -> str:
        """The upload to continue; "" for none."""

    def begin(self, upload_id: str) -> None:
        """Store the id of a new upload before its first byte is sent."""

    def advance(self, count: int) -> None:
        """`count` bytes are in the target. Raises what ends the copy when it is no longer wanted."""


class Incoming(Protocol):
    """An upload in progress, locked against a second writer."""

    @property
    def received(self) -> int:
        """Number of stored bytes: always a prefix of what was sent."""

    def append(self, chunks: Iterable[bytes]) -> int:
        """Append a part. Returns the number of stored bytes, which also survive a power loss.

        A part whose chunks break off, or that does not fit, leaves nothing behind. Raises what the chunks raise, and
        OSError.
        """

    def digest(self) -> str:
        """Hex SHA-256 of the stored bytes, read back from the storage. Raises OSError."""

    def keep(self, at: datetime) -> str:
        """Move the file to its final path, below the day of `at`. Returns the path for `open` and `delete`. Raises
        OSError.
        """

    def discard(self) -> None:
        """Delete the stored bytes; the sender starts again. Raises OSError."""


class RecordingStore(Protocol):
    """Complete recordings. Its methods may be called from several threads and processes at once."""

    def open(self, path: str, *, size: int | None = None, limit_s: float | None = None) -> BinaryIO:
        """Open a stored recording, seekable. Raises FileNotFoundError when there is none, or OSError.

        With its `size`, a storage of another machine sends nothing before the first read, which raises instead.
        `limit_s`: for all reads from another machine together; afterwards they raise OSError.
        """

    def delete(self, path: str) -> None:
        """Delete a stored recording; no-op when it is gone. Raises FileNotFoundError for a path that no recording can
        have, or OSError.
        """

    def copy_in(self, path: str, source: BinaryIO, content: Content, copying: Copying) -> None:
        """Store a copy of `source` under this path, in bounded memory. Continues the upload of `copying`.

        It does nothing when the copy is there. The caller proves it by reading it back. Raises OSError, and what
        `copying` raises.
        """

    def give_up(self, path: str, upload_id: str) -> None:
        """Remove the bytes of a copy that will never be completed; no-op when there are none. Raises OSError."""

    def free_bytes(self) -> int | None:
        """Free space in bytes; None when the storage has no fixed limit. Raises OSError."""


class RemoteStore(RecordingStore, Protocol):
    """A store that another machine keeps."""

    def probe(self) -> None:
        """Do everything that storing a recording needs, with a small object that is deleted. Raises OSError with the
        reason of a failure.
        """


class ReplayStorage(RecordingStore, Protocol):
    """The store in which recordings arrive."""

    def received(self, session_id: UUID) -> int:
        """Stored bytes of an upload; 0 when none was started, or it was kept or discarded. Raises OSError."""

    def incoming(self, session_id: UUID) -> AbstractContextManager[Incoming]:
        """Open an upload for writing at its end. A second writer waits for the first. Raises OSError."""

    def discard_incoming(self, session_id: UUID) -> None:
        """Remove an upload that will never be completed; no-op when there is none."""
