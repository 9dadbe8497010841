"""Reads stored recordings: ranges, export, archive, verification. The files come from the replay storage."""

import json
import tarfile
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, Protocol, Self

from django.conf import settings
from django.db.models import Count

from postern.apps.sessions.recordings.models import Recording
from postern.apps.sessions.sessions.models import Session
from postern.contracts import recording as container
from postern.integrations.replay_storages.port import SUFFIX

_PIECE_BYTES: Final = 256 * 1024


def pieces(file: BinaryIO, first: int, length: int) -> Iterator[bytes]:
    """`length` bytes of `file` from `first` on, in pieces. Closes the file in every case."""
    with file:
        file.seek(first)
        left = length
        while left:
            piece = file.read(min(left, _PIECE_BYTES))
            if not piece:
                return
            left -= len(piece)
            yield piece


class Closable(Protocol):
    """What is closed once its bytes are sent."""

    def close(self) -> None:
        """Close it; no-op when it is closed."""


class Counted:
    """Counts the bytes of a response that were sent."""

    def __init__(self, pieces: Iterator[bytes], file: Closable) -> None:
        self._pieces = pieces
        self._file = file
        self.count = 0
        self.is_finished = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        try:
            piece = next(self._pieces)
        except StopIteration:
            self.is_finished = True
            raise
        self.count += len(piece)
        return piece

    def close(self) -> None:
        """Close the file behind the pieces, because an iterator that never started does not close it."""
        self._file.close()


def cast_lines(file: BinaryIO, version: container.Version) -> Iterator[bytes]:
    """The recording as asciicast, in pieces of some hundred lines. Closes the file."""
    with file:
        gathered: list[bytes] = []
        size = 0
        for line in container.iter_asciicast(file, version):
            gathered.append(line)
            size += len(line)
            if size >= _PIECE_BYTES:
                yield b"".join(gathered)
                gathered, size = [], 0
        yield b"".join(gathered)


def archive(file: BinaryIO, session: Session, size: int, meta: dict[str, Any]) -> tuple[Iterator[bytes], int]:
    """A tar of the recording and its description, and the length of the tar."""
    described = json.dumps(meta, ensure_ascii=False, indent=2).encode()
    at = int(session.date_start.timestamp())
    member, description = f"{session.pk}{SUFFIX}", f"{session.pk}.json"
    total = _member_length(len(described)) + _member_length(size) + 2 * tarfile.BLOCKSIZE

    def stream() -> Iterator[bytes]:
        yield _member_header(description, len(described), at) + described + _padding(len(described))
        yield _member_header(member, size, at)
        yield from pieces(file, 0, size)
        yield _padding(size) + bytes(2 * tarfile.BLOCKSIZE)

    return stream(), total


def prove(file: BinaryIO) -> container.Verdict | None:
    """Verify the seal with the current and former keys of this installation; None when there is no key at all."""
    trusted = container.TrustedKeys(settings.POSTERN.secrets_dir)
    return container.verify_among(file, trusted.find) if trusted.ids() else None


def counts_by_key() -> dict[str, int]:
    """Id of the sealing key → number of stored recordings that it sealed."""
    rows = Recording.objects.exclude(date_stored=None).values("key_id").annotate(count=Count("pk")).order_by()
    return dict(rows.values_list("key_id", "count"))


def _member_header(name: str, size: int, at: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = size, at, 0o600
    return info.tobuf(tarfile.GNU_FORMAT)


def _padding(size: int) -> bytes:
    return bytes(-size % tarfile.BLOCKSIZE)


def _member_length(size: int) -> int:
    return tarfile.BLOCKSIZE + size + (-size % tarfile.BLOCKSIZE)
