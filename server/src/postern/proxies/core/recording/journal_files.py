"""Files of the journal: a folder for each start of the proxy, with zeroed segments and the writer's lock."""

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NoReturn

from postern.kernel.clock import now

_LOCK: Final = "lock"
_SPARE: Final = "spare"
_DONE: Final = "done"
_ZEROS: Final = bytes(1 << 20)
_SYNC_EACH_BYTES: Final = 4 << 20


def sync_directory(path: Path) -> None:
    """Make new and renamed entries of a folder durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_file_durably(path: Path, data: bytes) -> None:
    """Replace a small file atomically. After a crash it holds either the old or the new content."""
    replace_file(path, data)
    sync_directory(path.parent)


def replace_file(path: Path, data: bytes) -> None:
    """Like `write_file_durably`, but the new name is durable only after `sync_directory`."""
    draft = path.with_name(path.name + ".new")
    try:
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def _refuse_half_segment() -> NoReturn:
    raise OSError("the disk did not take a whole segment")


def _remove_empty(folder: Path) -> None:
    """Remove a folder that holds at most a lock. Opens no file, because no descriptor may be free."""
    with suppress(OSError):
        (folder / _LOCK).unlink(missing_ok=True)
        folder.rmdir()


class JournalFolder:
    """The journal folder of one start of the proxy. Segments are numbered from 1."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, journal_dir: Path) -> "tuple[JournalFolder, int]":
        """Create a folder. Returns it with the descriptor of its lock, which must stay open while the writer lives.

        The lock is taken before the folder gets its final name, so that no reader considers it abandoned.
        """
        journal_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"{int(now().timestamp() * 1000):014d}-{secrets.token_hex(4)}"
        draft = journal_dir / f".{name}"
        path = journal_dir / name
        draft.mkdir(mode=0o700)
        lock = -1
        try:
            lock = os.open(draft / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            draft.rename(path)
            sync_directory(journal_dir)
        except OSError:  # nothing else would ever use the folder or release the lock
            if lock >= 0:
                os.close(lock)
            for folder in (draft, path):
                _remove_empty(folder)
            raise
        return cls(path), lock

    @classmethod
    def all(cls, journal_dir: Path) -> "list[JournalFolder]":
        """Return all folders, oldest first."""
        if not journal_dir.is_dir():
            return []
        return [cls(p) for p in sorted(journal_dir.iterdir()) if p.is_dir() and not p.name.startswith(".")]

    @property
    def name(self) -> str:
        return self.path.name

    def segment_path(self, number: int) -> Path:
        return self.path / f"{number:08d}.seg"

    def failed_path(self, number: int) -> Path:
        """Return the path of the marker for a segment that the writer abandoned after an error."""
        return self.path / f"{number:08d}.failed"

    def mark_failed(self, number: int) -> None:
        """Mark a segment as abandoned by the writer. Opens no file, because no descriptor may be free. Raises
        OSError.
        """
        with suppress(FileExistsError):
            os.mknod(self.failed_path(number), 0o600)

    def segments(self) -> list[int]:
        """Return the numbers of the existing segments in ascending order."""
        return sorted(int(p.stem) for p in self.path.glob("*.seg") if p.stem.isdecimal())

    def has_spare(self) -> bool:
        return (self.path / _SPARE).exists()

    def prepare_spare(self, size_bytes: int) -> None:
        """Write a segment of zeros, so that using it later changes no metadata. Raises OSError.

        Takes tens of milliseconds, so call it in a worker thread.
        """
        draft = self.path / f"{_SPARE}.new"
        try:
            with draft.open("wb", buffering=0) as file:
                for start in range(0, size_bytes, len(_ZEROS)):
                    part = memoryview(_ZEROS)[: size_bytes - start]
                    if file.write(part) != len(part):
                        _refuse_half_segment()
                    if start % _SYNC_EACH_BYTES == 0:
                        os.fdatasync(file.fileno())
                os.fsync(file.fileno())
            draft.rename(self.path / _SPARE)
        except OSError:
            draft.unlink(missing_ok=True)
            raise

    def take_spare(self, number: int) -> int:
        """Turn the spare into segment `number` and return its descriptor. Raises OSError, and keeps the spare then.

        The file is opened before it gets its number. A segment that could not be opened would have no writer.
        """
        spare = self.path / _SPARE
        descriptor = os.open(spare, os.O_RDWR | os.O_CLOEXEC)
        try:
            spare.rename(self.segment_path(number))
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def is_abandoned(self) -> bool:
        """Whether the writer is gone. The kernel releases the lock when the process ends in any way."""
        try:
            with self._lock_file() as descriptor:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except FileNotFoundError:
            return True
        except BlockingIOError:
            return False
        return True

    @contextmanager
    def _lock_file(self) -> Iterator[int]:
        descriptor = os.open(self.path / _LOCK, os.O_RDWR | os.O_CLOEXEC)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def done_sessions(self) -> set[int]:
        """Return the numbers of the sessions whose sealed file was verified."""
        path = self.path / _DONE
        if not path.exists():
            return set()
        # A torn last line (without a line feed) was never acknowledged.
        return {int(line) for line in path.read_bytes().split(b"\n")[:-1] if line.isdigit()}

    def add_done_sessions(self, numbers: list[int]) -> None:
        """Add session numbers durably. Raises OSError; some of the numbers may be written then."""
        path = self.path / _DONE
        is_new = not path.exists()
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            # The leading line feed ends a line that was torn by a full disk or a crash.
            lines = b"\n" + b"".join(b"%d\n" % number for number in numbers)
            if os.write(descriptor, lines) != len(lines):
                raise OSError("the disk did not take all numbers")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if is_new:
            sync_directory(self.path)

    def remove_segment(self, number: int) -> None:
        self.segment_path(number).unlink(missing_ok=True)
        self.failed_path(number).unlink(missing_ok=True)

    def remove(self) -> None:
        """Delete the folder after everything in it was sealed and verified."""
        shutil.rmtree(self.path)
