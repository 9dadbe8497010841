"""Writes the archive of a bundle: members in the order in which they are added, each with its SHA-256.

The file gets its name only when it is complete. A header is written again when the size of its member is known, so that
nothing is kept in memory or in another file.
"""

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, Self

from postern.apps.sessions.bundles.errors import NotExported
from postern.contracts.audit_bundle.bundle_verifier import tar_header

_BLOCK: Final = 512


class Archive:
    """An archive in a temporary file beside its final path."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.members: list[tuple[str, int, str]] = []

    @classmethod
    @contextlib.contextmanager
    def create(cls, path: Path) -> Iterator[Self]:
        """An archive that gets its name when the block ends. Raises NotExported; nothing is left behind then."""
        if os.path.lexists(path):
            raise NotExported(f"{path} exists; nothing was overwritten")
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
        try:
            with _to_disk():
                descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            file = os.fdopen(descriptor, "w+b", buffering=1 << 18)
            try:
                yield cls(file)
                with _to_disk():
                    file.write(bytes(2 * _BLOCK))
                    file.flush()
                    os.fsync(file.fileno())
            finally:
                with contextlib.suppress(OSError):  # writes what is buffered, which fails once more on a full disk
                    file.close()
            _name(draft, path)
        finally:
            draft.unlink(missing_ok=True)

    def add(self, name: str, pieces: Iterable[bytes]) -> str:
        """Add a member and return its SHA-256. What `pieces` raises passes through, and the member is removed.

        Raises NotExported when the archive cannot be written.
        """
        with _to_disk():
            start = self._file.tell()
            self._file.write(bytes(_BLOCK))
        size, digest = 0, hashlib.sha256()
        try:
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                with _to_disk():
                    self._file.write(piece)
        except BaseException:
            with _to_disk():
                self._file.seek(start)
                self._file.truncate()
            raise
        with _to_disk():
            self._file.write(bytes(-size % _BLOCK))
            end = self._file.tell()
            self._file.seek(start)
            self._file.write(tar_header(name, size))
            self._file.seek(end)
        self.members.append((name, size, digest.hexdigest()))
        return digest.hexdigest()


def _name(draft: Path, path: Path) -> None:
    """Give the complete archive its name, unless there is another file by now."""
    with _to_disk():
        try:
            os.link(draft, path)
        except FileExistsError:
            raise NotExported(f"{path} exists; nothing was overwritten") from None
        except OSError:  # a file system without links
            if os.path.lexists(path):
                raise NotExported(f"{path} exists; nothing was overwritten") from None
            draft.rename(path)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextlib.contextmanager
def _to_disk() -> Iterator[None]:
    """Failures of the file system in which the archive lies."""
    try:
        yield
    except OSError as error:
        raise NotExported(f"the bundle cannot be written: {error.strerror or error}") from error
