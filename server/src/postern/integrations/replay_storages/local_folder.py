"""Recordings in a folder of this machine, or in a folder that all web nodes mount.

Parts are collected in `.incoming/<session id>` under a lock, synced to disk and hashed. Then the file is renamed to
`YYYY/MM/DD/<session id>.postern`.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from io import FileIO
from pathlib import Path
from typing import BinaryIO, Final
from uuid import UUID

from postern.integrations.replay_storages.port import SUFFIX, Content, Copying, require_stored_path

_CHUNK_BYTES: Final = 1024 * 1024
_FOLDER_MODE: Final = 0o700
_FILE_MODE: Final = 0o600


class LocalIncoming:
    """The port's `Incoming` as an open, locked file. It is unbuffered, so that a full disk leaves no partial buffer
    behind.
    """

    def __init__(self, root: Path, session_id: UUID, file: FileIO, path: Path) -> None:
        self._root = root
        self._session_id = session_id
        self._file = file
        self._path = path
        self.received = file.seek(0, os.SEEK_END)

    def append(self, chunks: Iterable[bytes]) -> int:
        count = self.received
        try:
            for chunk in chunks:
                remaining = memoryview(chunk)
                while remaining:
                    written = self._file.write(remaining)
                    count += written
                    remaining = remaining[written:]
            os.fsync(self._file.fileno())
        except BaseException:
            # Remove an incomplete part: the sender asks for the position at which to continue.
            self._file.truncate(self.received)
            self._file.seek(self.received)
            raise
        self.received = count
        return count

    def digest(self) -> str:
        self._file.seek(0)
        hasher = hashlib.sha256()
        while chunk := self._file.read(_CHUNK_BYTES):
            hasher.update(chunk)
        return hasher.hexdigest()

    def keep(self, at: datetime) -> str:
        relative = f"{at:%Y/%m/%d}/{self._session_id}{SUFFIX}"
        target = self._root / relative
        _make_folders(target.parent, below=self._root)
        os.fsync(self._file.fileno())
        self._path.replace(target)
        _sync_folder(target.parent)
        _sync_folder(self._path.parent)
        self.received = 0
        return relative

    def discard(self) -> None:
        self._file.truncate(0)
        self._file.seek(0)
        self.received = 0


class LocalFolder:
    """The `ReplayStorage` of a folder, which is created with the first recording."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def received(self, session_id: UUID) -> int:
        try:
            return self._incoming_path(session_id).stat().st_size
        except FileNotFoundError:
            return 0

    @contextmanager
    def incoming(self, session_id: UUID) -> Iterator[LocalIncoming]:
        path = self._incoming_path(session_id)
        _make_folders(path.parent, below=self._root)
        with _locked(path) as file:
            yield LocalIncoming(self._root, session_id, file, path)

    def discard_incoming(self, session_id: UUID) -> None:
        self._incoming_path(session_id).unlink(missing_ok=True)

    def open(self, path: str, *, size: int | None = None, limit_s: float | None = None) -> BinaryIO:
        del size, limit_s  # nothing is sent
        return self._resolve(path).open("rb")

    def delete(self, path: str) -> None:
        self._resolve(path).unlink(missing_ok=True)

    def copy_in(self, path: str, source: BinaryIO, content: Content, copying: Copying) -> None:
        """Collects the bytes in `.copies`, and moves the complete file to its path."""
        target, collected = self._resolve(path), self._copy_path(path)
        if target.exists() and target.stat().st_size == content.size:
            return
        _make_folders(collected.parent, below=self._root)
        with _locked(collected) as file:
            count = file.seek(0, os.SEEK_END)
            if count > content.size:
                count = file.truncate(0)
            file.seek(count)
            source.seek(count)
            while chunk := source.read(_CHUNK_BYTES):
                remaining = memoryview(chunk)
                while remaining:
                    remaining = remaining[file.write(remaining) :]
                count += len(chunk)
                copying.advance(count)
            os.fsync(file.fileno())
            _make_folders(target.parent, below=self._root)
            collected.replace(target)
            _sync_folder(target.parent)
            _sync_folder(collected.parent)

    def give_up(self, path: str, upload_id: str) -> None:
        del upload_id  # the path says which copy it is
        require_stored_path(path)
        self._copy_path(path).unlink(missing_ok=True)

    def free_bytes(self) -> int:
        self._root.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        return shutil.disk_usage(self._root).free

    def _incoming_path(self, session_id: UUID) -> Path:
        return self._root / ".incoming" / str(session_id)

    def _copy_path(self, path: str) -> Path:
        return self._root / ".copies" / Path(path).name

    def _resolve(self, path: str) -> Path:
        """The file of a stored path, checked to be inside the folder, links included."""
        root = self._root.resolve()
        if not (resolved := (root / require_stored_path(path)).resolve()).is_relative_to(root):
            raise FileNotFoundError(path)
        return resolved


@contextmanager
def _locked(path: Path) -> Iterator[FileIO]:
    """The file at `path`, created if necessary, locked for one writer at a time."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _FILE_MODE)
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not _is_at(path, file):
                # The previous holder of the lock has moved or removed this file: open the path again, because moved
                # files are final.
                continue
            yield file
            return


def _is_at(path: Path, file: FileIO) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _make_folders(folder: Path, *, below: Path) -> None:
    """Create a folder and its parents. Each new folder is synced into its parent, so that its files survive a power
    loss.
    """
    if folder.is_dir():
        return
    if folder != below:
        _make_folders(folder.parent, below=below)
    folder.mkdir(mode=_FOLDER_MODE, parents=folder == below, exist_ok=True)
    _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
