"""Tar archives in pieces: pax (POSIX.1-2001), which states that names are UTF-8. An entry whose name is no text is in
the format of GNU tar, which states nothing about names.
"""

import tarfile
from typing import Final

from postern.proxies.core.targets.files import Attributes

_END: Final = b"\0" * (2 * tarfile.BLOCKSIZE)
_FOLDER_MODE: Final = 0o755
_FILE_MODE: Final = 0o644


class TarFormat:
    """Makes the bytes of an archive. Names are those of the host; bytes that are no text stay as they are."""

    content_type: Final = "application/x-tar"
    suffix: Final = ".tar"
    #: A file's size stands before its bytes, so a file that fails in the middle spoils the archive.
    may_break_off: Final = False
    #: Nothing is remembered of an entry.
    is_full: Final = False

    def __init__(self) -> None:
        self._size = 0
        self._at = 0

    def name_of(self, text: str, raw: bytes) -> str:
        """Return a name inside the archive. `text` is its text, "" if it is none."""
        return text or raw.decode("utf-8", "surrogateescape")

    def folder(self, path: str, attributes: Attributes) -> bytes:
        """Return the entry of a folder."""
        return self._head(path, tarfile.DIRTYPE, attributes, _FOLDER_MODE)

    def link(self, path: str, attributes: Attributes, target: str) -> bytes | None:
        """Return the entry of a symbolic link."""
        return self._head(path, tarfile.SYMTYPE, attributes, 0o777, target=target)

    def begin(self, path: str, attributes: Attributes, size: int) -> bytes:
        """Return what stands before the `size` bytes of a file."""
        self._size = size
        return self._head(path, tarfile.REGTYPE, attributes, _FILE_MODE, size=size)

    def data(self, piece: bytes) -> bytes:
        """Return what stands for a piece of the file."""
        self._at += len(piece)
        return piece

    def end(self) -> bytes:
        """Return what stands after the bytes of a file."""
        return self._counted(b"\0" * (-self._size % tarfile.BLOCKSIZE))

    def finish(self) -> bytes:
        """Return the end of the archive."""
        self._counted(_END)
        return _END + b"\0" * (-self._at % tarfile.RECORDSIZE)

    def _head(
        self, path: str, kind: bytes, attributes: Attributes, mode: int, *, size: int = 0, target: str = ""
    ) -> bytes:
        info = tarfile.TarInfo(path)
        info.type = kind
        info.size = size
        info.mode = mode if attributes.mode is None else attributes.mode
        info.mtime = attributes.modified or 0
        info.linkname = target
        if _is_text(path + target):
            return self._counted(info.tobuf(tarfile.PAX_FORMAT, "utf-8"))
        return self._counted(info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape"))

    def _counted(self, data: bytes) -> bytes:
        self._at += len(data)
        return data


def _is_text(name: str) -> bool:
    """Whether a name has no bytes that are no text (`surrogateescape`)."""
    return not any("\udc80" <= character <= "\udcff" for character in name)
