"""Zip archives in pieces: stored, not compressed, with ZIP64 where it is needed.

The layout is that of APPNOTE 6.3: each file is a local header, its bytes, and a data descriptor with what was not known
before; the central directory comes last.
"""

import re
import stat
import struct
import time
import zlib
from dataclasses import dataclass
from typing import Final

from postern.proxies.core.targets.files import Attributes

#: What is remembered of all entries until the end: room for some 500,000.
MAX_DIRECTORY_BYTES: Final = 64 * 1024 * 1024

_LOCAL: Final = struct.Struct("<4s5H3L2H")
_CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
_END: Final = struct.Struct("<4s4H2LH")
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR64: Final = struct.Struct("<4sLQL")
_EXTENDED_TIME: Final = struct.Struct("<2HBl")

_VERSION: Final = 20
_VERSION_64: Final = 45
_UNIX: Final = 3 << 8
_FLAGS: Final = 0x0808  # a data descriptor follows, the name is UTF-8
_MAX_32: Final = 0xFFFFFFFF
_MAX_16: Final = 0xFFFF
_MAX_TIME: Final = 2**31 - 1
_FOLDER: Final = 0x10
_FOLDER_MODE: Final = 0o755
_FILE_MODE: Final = 0o644
_UNUSABLE: Final = re.compile(r"[\x00-\x1f\x7f\\]")


@dataclass(slots=True)
class _File:
    name: bytes
    extra: bytes
    stamp: tuple[int, int]
    attributes: int
    offset: int
    is_large: bool
    size: int = 0
    crc: int = 0


class ZipFormat:
    """Makes the bytes of an archive. Names are text, as all programs that open archives expect."""

    content_type: Final = "application/zip"
    suffix: Final = ".zip"
    #: A file's size stands after its bytes.
    may_break_off: Final = True

    def __init__(self) -> None:
        self._at = 0
        self._count = 0
        self._directory = bytearray()
        self._file: _File | None = None

    @property
    def is_full(self) -> bool:
        """Whether so many entries are remembered for the end of the archive that memory sets the limit."""
        return len(self._directory) >= MAX_DIRECTORY_BYTES

    def name_of(self, text: str, raw: bytes) -> str:
        """Return a name inside the archive. Windows knows no control characters in names, and would take a backslash
        for a border between folders.
        """
        return _UNUSABLE.sub("_", text or raw.decode("utf-8", "backslashreplace"))

    def folder(self, path: str, attributes: Attributes) -> bytes:
        """Return the entry of a folder."""
        mode = stat.S_IFDIR | (_FOLDER_MODE if attributes.mode is None else attributes.mode)
        head = self._begin(path + "/", attributes, mode << 16 | _FOLDER, 0)
        return head + self.end()

    def link(self, path: str, attributes: Attributes, target: str) -> bytes | None:
        """Return None: a link is not part of a zip archive, because few programs understand it."""
        del path, attributes, target
        return None

    def begin(self, path: str, attributes: Attributes, size: int) -> bytes:
        """Return what stands before the bytes of a file, of which there are at most `size`."""
        mode = stat.S_IFREG | (_FILE_MODE if attributes.mode is None else attributes.mode)
        return self._begin(path, attributes, mode << 16, size)

    def _begin(self, path: str, attributes: Attributes, unix: int, size: int) -> bytes:
        modified = attributes.modified or 0
        extra = _EXTENDED_TIME.pack(0x5455, 5, 1, modified) if modified <= _MAX_TIME else b""
        is_large = size >= _MAX_32
        file = self._file = _File(path.encode(), extra, _stamp(modified), unix & _MAX_32, self._at, is_large)
        large = struct.pack("<2H2Q", 1, 16, 0, 0) if is_large else b""
        unknown = _MAX_32 if is_large else 0
        version = _VERSION_64 if is_large else _VERSION
        head = _LOCAL.pack(
            b"PK\x03\x04", version, _FLAGS, 0, *file.stamp, 0, unknown, unknown, len(file.name), len(extra + large)
        )
        return self._counted(head + file.name + extra + large)

    def data(self, piece: bytes) -> bytes:
        """Return what stands for a piece of the file."""
        if self._file is not None:
            self._file.size += len(piece)
            self._file.crc = zlib.crc32(piece, self._file.crc)
        return self._counted(piece)

    def end(self) -> bytes:
        """Return what stands after the bytes of a file."""
        file, self._file = self._file, None
        if file is None:
            return b""
        self._count += 1
        self._directory += _directory_entry(file)
        sizes = struct.pack("<L2Q" if file.is_large else "<3L", file.crc, file.size, file.size)
        return self._counted(b"PK\x07\x08" + sizes)

    def finish(self) -> bytes:
        """Return the central directory."""
        start, size, count = self._at, len(self._directory), self._count
        end = b""
        if count >= _MAX_16 or start >= _MAX_32 or size >= _MAX_32:
            end = _END64.pack(
                b"PK\x06\x06", 44, _UNIX | _VERSION_64, _VERSION_64, 0, 0, count, count, size, start
            ) + _LOCATOR64.pack(b"PK\x06\x07", 0, start + size, 1)
        short = min(count, _MAX_16)
        end += _END.pack(b"PK\x05\x06", 0, 0, short, short, min(size, _MAX_32), min(start, _MAX_32), 0)
        return bytes(self._directory) + end

    def _counted(self, data: bytes) -> bytes:
        self._at += len(data)
        return data


def _directory_entry(file: _File) -> bytes:
    large = b""
    if file.is_large:
        large += struct.pack("<2Q", file.size, file.size)
    if file.offset >= _MAX_32:
        large += struct.pack("<Q", file.offset)
    extra = file.extra + (struct.pack("<2H", 1, len(large)) + large if large else b"")
    size = _MAX_32 if file.is_large else file.size
    version = _VERSION_64 if large else _VERSION
    head = _CENTRAL.pack(
        b"PK\x01\x02", _UNIX | version, version, _FLAGS, 0, *file.stamp, file.crc, size, size, len(file.name),
        len(extra), 0, 0, 0, file.attributes, min(file.offset, _MAX_32),
    )  # fmt: skip
    return head + file.name + extra


def _stamp(modified: int) -> tuple[int, int]:
    """Return the time and the date as DOS counts them, in UTC, for programs that do not read the exact time."""
    at = time.gmtime(modified)
    if not 1980 <= at.tm_year <= 2107:
        return 0, 0x21
    return at.tm_hour << 11 | at.tm_min << 5 | at.tm_sec // 2, (at.tm_year - 1980) << 9 | at.tm_mon << 5 | at.tm_mday
