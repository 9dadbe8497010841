"""The interface of a storage for recordings.

A recording arrives in parts, under a lock. It is hashed as stored, and only then gets its final path. Files with a
final path are complete, checked, and never written again.

Failures of the storage (unreachable, full, not permitted) raise `OSError`. They lose nothing: an unacknowledged part is
sent again, and a failed deletion is retried in the next round.
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import BinaryIO, Final, Protocol
from uuid import UUID

#: File extension of stored and exported recordings.
SUFFIX: Final = ".postern"


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


class ReplayStorage(Protocol):
    """A storage for recordings. Its methods may be called from several threads and processes at once."""

    def received(self, session_id: UUID) -> int:
        """Stored bytes of an upload; 0 when none was started, or it was kept or discarded. Raises OSError."""

    def incoming(self, session_id: UUID) -> AbstractContextManager[Incoming]:
        """Open an upload for writing at its end. A second writer waits for the first. Raises OSError."""

    def discard_incoming(self, session_id: UUID) -> None:
        """Remove an upload that will never be completed; no-op when there is none."""

    def open(self, path: str) -> BinaryIO:
        """Open a stored recording, seekable. Raises FileNotFoundError for a path that `keep` did not return, or
        OSError.
        """

    def delete(self, path: str) -> None:
        """Delete a stored recording; no-op when it is gone. Raises FileNotFoundError like `open`, or OSError."""

    def free_bytes(self) -> int | None:
        """Free space in bytes; None when the storage has no fixed limit. Raises OSError."""
