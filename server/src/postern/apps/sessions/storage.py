"""Where recordings are kept. One interface; this is the local folder, other stores come later.

A recording arrives in parts in `.incoming/<session id>`, under a lock, is synced, hashed, and only then renamed to
`YYYY/MM/DD/<session id>.postern`. A file under its final name is complete and was checked.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final, Protocol
from uuid import UUID

from django.conf import settings

SUFFIX: Final = ".postern"
_CHUNK_BYTES: Final = 1024 * 1024
_FOLDER_MODE: Final = 0o700
_FILE_MODE: Final = 0o600


class Incoming(Protocol):
    """A recording on its way in, locked against a second writer."""

    received: int

    def append(self, chunks: Iterable[bytes]) -> int:
        """Write at the end, sync; returns the bytes that are there now."""

    def digest(self) -> str:
        """Hex SHA-256 of all that is there."""

    def keep(self, at: datetime) -> str:
        """Move to its final place; returns the path for `open`."""

    def discard(self) -> None:
        """Throw it away; the sender begins anew."""


class ReplayStorage(Protocol):
    """A store of recordings."""

    def received(self, session_id: UUID) -> int:
        """Bytes of an upload that are there; 0 when none began."""

    def incoming(self, session_id: UUID) -> AbstractContextManager[Incoming]:
        """Open an upload for writing; one writer at a time."""

    def open(self, path: str) -> BinaryIO:
        """A stored recording, seekable. Raises FileNotFoundError."""


class _LocalIncoming:
    def __init__(self, root: Path, session_id: UUID, file: BinaryIO, path: Path) -> None:
        self._root = root
        self._session_id = session_id
        self._file = file
        self._path = path
        self.received = file.seek(0, os.SEEK_END)

    def append(self, chunks: Iterable[bytes]) -> int:
        start = self.received
        try:
            for chunk in chunks:
                self._file.write(chunk)
            self._file.flush()
            os.fsync(self._file.fileno())
        except BaseException:
            # Half a part is no part: the sender asks where to go on.
            self._file.truncate(start)
            raise
        self.received = self._file.tell()
        return self.received

    def digest(self) -> str:
        self._file.seek(0)
        hasher = hashlib.sha256()
        while chunk := self._file.read(_CHUNK_BYTES):
            hasher.update(chunk)
        return hasher.hexdigest()

    def keep(self, at: datetime) -> str:
        relative = f"{at:%Y/%m/%d}/{self._session_id}{SUFFIX}"
        target = self._root / relative
        target.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        os.fsync(self._file.fileno())
        self._path.replace(target)
        _sync_folder(target.parent)
        _sync_folder(self._path.parent)
        return relative

    def discard(self) -> None:
        self._file.truncate(0)
        self.received = 0


class LocalStorage:
    """Recordings in a folder of this machine (or one that all web nodes mount)."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def _incoming_path(self, session_id: UUID) -> Path:
        return self._root / ".incoming" / str(session_id)

    def received(self, session_id: UUID) -> int:
        try:
            return self._incoming_path(session_id).stat().st_size
        except FileNotFoundError:
            return 0

    @contextmanager
    def incoming(self, session_id: UUID) -> Iterator[_LocalIncoming]:
        path = self._incoming_path(session_id)
        path.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _FILE_MODE)
        with os.fdopen(descriptor, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield _LocalIncoming(self._root, session_id, file, path)

    def open(self, path: str) -> BinaryIO:
        return self._resolve(path).open("rb")

    def delete(self, path: str) -> None:
        """Remove a stored recording; nothing happens when it is gone."""
        self._resolve(path).unlink(missing_ok=True)

    def discard_incoming(self, session_id: UUID) -> None:
        """Remove what has arrived of an upload that will never be complete; nothing happens when there is none."""
        self._incoming_path(session_id).unlink(missing_ok=True)

    def free_bytes(self) -> int:
        """Room on the volume."""
        self._root.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        return shutil.disk_usage(self._root).free

    def _resolve(self, path: str) -> Path:
        """The file of a stored path, proven to lie inside the folder (K7)."""
        root = self._root.resolve()
        found = (root / path).resolve()
        if not found.is_relative_to(root) or found.suffix != SUFFIX:
            raise FileNotFoundError(path)
        return found


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replay_storage() -> LocalStorage:
    """The store of this installation."""
    return LocalStorage(settings.POSTERN.home / "replays")
