"""The log of a job as files.

A worker that claims a job writes a *part* of its own, named by the token of the claim, so that a worker that was
believed dead cannot write into the part of its successor. `base` is the length of the parts before it.

    jobs/3f/3f2c…/
        00000001-0.frames           sealed: [raw length, packed length, CRC-32 of the packed bytes][zlib bytes] …
        00000001-0.262144.tail      the bytes from 262144 of this part on, as they are
        00000002-291004.262144…

All offsets that callers see count the bytes of the whole log, unpacked.
"""

import os
import shutil
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from uuid import UUID

from postern.foundation.machine.private_files import private_folder

#: Bytes that are packed together.
FRAME_BYTES: Final = 256 * 1024
#: Maximum length of a log.
MAX_LOG_BYTES: Final = 100 * 1024 * 1024
_HEADER: Final = struct.Struct(">III")
_LEVEL: Final = 1  # 7 ms for each megabyte; higher levels save a fifth of the room and take three times as long
_CUT: Final = b"\n[The log is limited to 100 MB. What follows is not shown.]\n"
_ATTEMPTS: Final = 10


def folder_of(home: Path, job_id: UUID) -> Path:
    """The folder of a job's log."""
    name = str(job_id)
    return home / "jobs" / name[:2] / name


def delete(home: Path, job_id: UUID) -> None:
    """Delete the log of a job, if it exists."""
    shutil.rmtree(folder_of(home, job_id), ignore_errors=True)


class LogWriter:
    """Writes the part of one claim. Raises OSError when the disk is full. Not safe for several threads."""

    def __init__(self, home: Path, job_id: UUID, token: int) -> None:
        folder = folder_of(home, job_id)
        private_folder(home / "jobs")
        private_folder(folder.parent)
        private_folder(folder)
        self._base = LogReader(home, job_id).size()
        self._stem = folder / f"{token:08d}-{self._base}"
        self._sealed = 0  # bytes of this part that are packed
        self._pending = bytearray()  # bytes of the tail file
        self._is_cut = False
        self._tail = self._open_tail()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(self, data: bytes) -> None:
        """Append. Readers see it at once."""
        if self._is_cut:
            return
        room = MAX_LOG_BYTES - self._base - self._sealed - len(self._pending)
        if len(data) > room:
            self._is_cut = True
            data = data[: max(room, 0)] + _CUT
        for start in range(0, len(data), FRAME_BYTES):
            self._append(data[start : start + FRAME_BYTES])

    def close(self) -> None:
        """Pack the rest. If that fails, the tail stays as it is, which can be read as well."""
        old = self._tail_path()
        try:
            if self._pending:
                self._seal()
            old.unlink(missing_ok=True)
        finally:
            os.close(self._tail)

    def _append(self, piece: bytes) -> None:
        _write_all(self._tail, piece)
        self._pending += piece
        if len(self._pending) < FRAME_BYTES:
            return
        old, old_path = self._tail, self._tail_path()
        self._seal()
        self._tail = self._open_tail()
        os.close(old)
        old_path.unlink(missing_ok=True)

    def _seal(self) -> None:
        packed = zlib.compress(self._pending, _LEVEL)
        header = _HEADER.pack(len(self._pending), len(packed), zlib.crc32(packed))
        handle = os.open(_frames_path(self._stem), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            before = os.fstat(handle).st_size
            try:
                _write_all(handle, header + packed)
            except OSError:
                os.ftruncate(handle, before)  # half a frame would hide all frames behind it
                raise
        finally:
            os.close(handle)
        self._sealed += len(self._pending)
        self._pending.clear()

    def _open_tail(self) -> int:
        return os.open(self._tail_path(), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)

    def _tail_path(self) -> Path:
        return self._stem.with_name(f"{self._stem.name}.{self._sealed}.tail")


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _frames_path(stem: Path) -> Path:
    return stem.with_name(f"{stem.name}.frames")


@dataclass(frozen=True, slots=True)
class _Part:
    """The bytes `base` to `end` of the log. `end` is None for the last part, which may still grow."""

    stem: Path
    base: int
    end: int | None


class LogReader:
    """Reads a log, also while it grows. Cheap to create: it opens files only while it reads."""

    def __init__(self, home: Path, job_id: UUID) -> None:
        self._folder = folder_of(home, job_id)

    def exists(self) -> bool:
        """Whether anything was logged."""
        return bool(self._parts())

    def size(self) -> int:
        """Number of bytes now."""
        parts = self._parts()
        return parts[-1].base + _length(parts[-1].stem) if parts else 0

    def read(self, offset: int, limit: int) -> bytes:
        """Up to `limit` bytes from `offset`; fewer when the log is shorter."""
        content = bytearray()
        for part in self._parts():
            start = max(offset + len(content), part.base)
            most = limit - len(content) if part.end is None else min(limit - len(content), part.end - start)
            if start == offset + len(content) and most > 0:
                content += _read_part(part.stem, start - part.base, most)
        return bytes(content)

    def pieces(self, piece_bytes: int = FRAME_BYTES) -> Iterator[bytes]:
        """The whole log as it is now, in pieces."""
        offset, end = 0, self.size()
        while offset < end:
            piece = self.read(offset, min(piece_bytes, end - offset))
            if not piece:
                return
            offset += len(piece)
            yield piece

    def _parts(self) -> list[_Part]:
        stems: dict[str, tuple[int, int]] = {}
        try:
            names = [path.name for path in self._folder.iterdir()]
        except FileNotFoundError:
            return []
        for name in names:
            stem = name.partition(".")[0]
            token, _dash, base = stem.partition("-")
            if token.isdecimal() and base.isdecimal():
                stems[stem] = (int(token), int(base))
        ordered = sorted((token, base, stem) for stem, (token, base) in stems.items())
        return [
            _Part(self._folder / stem, base, ordered[number + 1][1] if number + 1 < len(ordered) else None)
            for number, (_token, base, stem) in enumerate(ordered)
        ]


def _length(stem: Path) -> int:
    sealed = 0
    for _attempt in range(_ATTEMPTS):
        sealed = sum(raw for _place, raw, _packed in _frames(stem))
        tail = _tail_of(stem)
        if tail is None:
            return sealed
        try:
            return max(sealed, tail[1] + tail[0].stat().st_size)
        except FileNotFoundError:  # it was packed in the meantime
            continue
    return sealed


def _read_part(stem: Path, offset: int, limit: int) -> bytes:
    for _attempt in range(_ATTEMPTS):
        try:
            return _read_once(stem, offset, limit)
        except FileNotFoundError:  # the tail was packed in the meantime
            continue
    return b""


def _read_once(stem: Path, offset: int, limit: int) -> bytes:
    content = bytearray()
    start = 0
    for place, raw, packed in _frames(stem):
        position = offset + len(content)
        if start <= position < start + raw and len(content) < limit:
            data = _unpacked(stem, place, packed)
            content += data[position - start : position - start + limit - len(content)]
        start += raw
        if len(content) >= limit:
            return bytes(content)
    tail = _tail_of(stem)
    position = offset + len(content)
    if tail is not None and position >= tail[1]:
        with tail[0].open("rb") as file:
            # Clients name the offset: no file has some of them, and seeking there fails.
            if position - tail[1] < os.fstat(file.fileno()).st_size:
                file.seek(position - tail[1])
                content += file.read(limit - len(content))
    return bytes(content)


def _frames(stem: Path) -> list[tuple[int, int, int]]:
    """Place of the packed bytes, raw length and packed length of each whole frame."""
    frames: list[tuple[int, int, int]] = []
    try:
        handle = os.open(_frames_path(stem), os.O_RDONLY)
    except FileNotFoundError:
        return frames
    try:
        size = os.fstat(handle).st_size
        place = 0
        while place + _HEADER.size <= size:
            raw, packed, _sum = _HEADER.unpack(os.pread(handle, _HEADER.size, place))
            if place + _HEADER.size + packed > size:
                break
            frames.append((place + _HEADER.size, raw, packed))
            place += _HEADER.size + packed
    finally:
        os.close(handle)
    return frames


def _unpacked(stem: Path, place: int, packed: int) -> bytes:
    with _frames_path(stem).open("rb") as file:
        file.seek(place)
        return zlib.decompress(file.read(packed))


def _tail_of(stem: Path) -> tuple[Path, int] | None:
    """The newest tail and its offset in the part. Two exist for a moment while a frame is packed."""
    offsets = []
    for path in stem.parent.glob(f"{stem.name}.*.tail"):
        offset = path.name.removesuffix(".tail").rpartition(".")[2]
        if offset.isdecimal():
            offsets.append((int(offset), path))
    if not offsets:
        return None
    last, tail = max(offsets)
    return tail, last
