"""What Postern needs of a store of recordings, whichever it is.

A recording arrives in parts, under a lock, is hashed as it lies in the store, and only then gets its final path. What has a
final path is complete, was checked, and is never written again.

Whatever a store cannot do for reasons of its own (away, full, not permitted) is an `OSError`. Nothing is lost by it: a part
that was not acknowledged is sent again, and a file that was not deleted is deleted in the next round.
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import BinaryIO, Final, Protocol
from uuid import UUID

#: The end of the name of a stored recording, and of one that is exported.
SUFFIX: Final = ".postern"


class Incoming(Protocol):
    """A recording on its way in, locked against a second writer."""

    @property
    def received(self) -> int:
        """Bytes that are there: always a beginning of what was sent."""

    def append(self, chunks: Iterable[bytes]) -> int:
        """Write a part at the end; returns the bytes that are there now, and will be after a loss of power.

        A part whose chunks break off, or that does not fit, leaves nothing. Raises what the chunks raise, and OSError.
        """

    def digest(self) -> str:
        """Hex SHA-256 of all that is there, read back from the store. Raises OSError."""

    def keep(self, at: datetime) -> str:
        """Give it its final place, below the day of `at`; returns the path for `open` and `delete`. Raises OSError."""

    def discard(self) -> None:
        """Throw away what is there; the sender begins anew. Raises OSError."""


class ReplayStorage(Protocol):
    """A store of recordings. Its methods may be called from several threads and processes at once."""

    def received(self, session_id: UUID) -> int:
        """Bytes of an upload that are there; 0 when none began, or when it was kept or discarded. Raises OSError."""

    def incoming(self, session_id: UUID) -> AbstractContextManager[Incoming]:
        """Open an upload for writing, where the last one stopped. A second writer waits for the first. Raises OSError."""

    def discard_incoming(self, session_id: UUID) -> None:
        """Remove what has arrived of an upload that will never be complete; nothing happens when there is none."""

    def open(self, path: str) -> BinaryIO:
        """A stored recording, seekable. Raises FileNotFoundError for every path that `keep` did not return (K7), or OSError."""

    def delete(self, path: str) -> None:
        """Remove a stored recording; nothing happens when it is gone. Raises FileNotFoundError as `open` does, or OSError."""

    def free_bytes(self) -> int | None:
        """Room that is left; None when the store names no bound. Raises OSError."""
