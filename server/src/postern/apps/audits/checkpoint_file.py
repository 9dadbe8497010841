"""The checkpoint file: one JSON line with a MAC for each checkpoint, only appended to.

Lines of earlier versions have no statements, and do not say which former heads the log has lost. They stay valid.
"""

import contextlib
import fcntl
import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final
from uuid import UUID

from django.conf import settings

from postern.apps.audits import digest
from postern.apps.audits.signed_statements import SignedStatement
from postern.kernel.ids import same

_PIECE: Final = 65_536

#: Position and MAC digest of the newest event of a chain.
Head = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Time, heads of the chains, and signed statements of organizations."""

    at: str
    heads: Mapping[UUID, Head]
    statements: Mapping[UUID, SignedStatement] = field(default_factory=dict)
    #: Whether the statements are those of all organizations, not only of those that have grown.
    is_full: bool = False
    #: Heads of former checkpoints that the log did not have any more. None in lines of earlier versions.
    lost: Mapping[UUID, frozenset[Head]] | None = None

    def line(self) -> bytes:
        """The checkpoint as a line of the file, with its MAC."""
        values: dict[str, Any] = {
            "at": self.at,
            "full": self.is_full,
            "heads": {str(org_id): list(head) for org_id, head in self.heads.items()},
            "lost": {str(org_id): sorted(map(list, heads)) for org_id, heads in (self.lost or {}).items()},
            "public": {str(org_id): statement.stored() for org_id, statement in self.statements.items()},
        }
        values["mac"] = digest.of_text(_canonical(values))
        return json.dumps(values, sort_keys=True).encode() + b"\n"


def path() -> Path:
    """Path of the checkpoint file."""
    folder: Path = settings.POSTERN.home / "audit"
    return folder / "checkpoints.jsonl"


def read() -> Iterator[Checkpoint | None]:
    """All checkpoints, oldest first; None for each altered line."""
    try:
        with path().open("rb") as file:
            for line in file:
                yield _parse(line)
    except FileNotFoundError:
        return


def signed() -> Iterator[SignedStatement]:
    """The different statements about all organizations, oldest first. Altered lines are left out."""
    last: dict[UUID, SignedStatement] = {}
    for checkpoint in read():
        for org_id, statement in checkpoint.statements.items() if checkpoint is not None else ():
            if last.get(org_id) != statement:
                last[org_id] = statement
                yield statement


def last_statements() -> Mapping[UUID, SignedStatement]:
    """The newest statement about each organization."""
    try:
        with path().open("rb") as file:
            return newest_statements(file)
    except FileNotFoundError:
        return {}


def newest_statements(file: BinaryIO) -> dict[UUID, SignedStatement]:
    """The newest statement about each organization. Reads back to the last line that has all of them."""
    newest: dict[UUID, SignedStatement] = {}
    for checkpoint in from_end(file):
        newest = {**checkpoint.statements, **newest}
        if checkpoint.is_full:
            break
    return newest


def former_heads(file: BinaryIO) -> dict[UUID, frozenset[Head]]:
    """The heads that an intact log must still have: those of the last line, and those that were lost before.

    They stand for the heads of all lines: a head that the log had when the next line was written comes before the head
    of that line. Reads only the last line, unless it is of an earlier version.
    """
    former: defaultdict[UUID, set[Head]] = defaultdict(set)
    for checkpoint in from_end(file):
        for org_id, head in checkpoint.heads.items():
            former[org_id].add(head)
        if checkpoint.lost is not None:
            for org_id, heads in checkpoint.lost.items():
                former[org_id] |= heads
            break
    return {org_id: frozenset(heads) for org_id, heads in former.items()}


@contextlib.contextmanager
def opened(*, wait: bool) -> Iterator[BinaryIO]:
    """The file, locked against a second writer. Raises BlockingIOError when there is one and `wait` is False."""
    path().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path(), os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "a+b", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield file


def append(file: BinaryIO, line: bytes) -> None:
    """Append a line as a whole: what a full disk left of it is removed."""
    size = file.seek(0, os.SEEK_END)
    if size:
        file.seek(size - 1)
        if file.read(1) != b"\n":  # the rest of a write that was killed
            line = b"\n" + line
    try:
        left = memoryview(line)
        while left:
            left = left[file.write(left) :]
        os.fsync(file.fileno())
    except OSError:
        file.truncate(size)
        raise


def from_end(file: BinaryIO) -> Iterator[Checkpoint]:
    """The intact checkpoints, newest first."""
    for line in _lines_from_end(file):
        checkpoint = _parse(line)
        if checkpoint is not None:
            yield checkpoint


def _lines_from_end(file: BinaryIO) -> Iterator[bytes]:
    place, rest = file.seek(0, os.SEEK_END), b""
    while place:
        length = min(place, _PIECE)
        place = file.seek(place - length)
        first, *lines = (_read(file, length) + rest).split(b"\n")
        yield from (line for line in reversed(lines) if line)
        rest = first
    if rest:
        yield rest


def _read(file: BinaryIO, length: int) -> bytes:
    data = b""
    while len(data) < length and (piece := file.read(length - len(data))):
        data += piece
    return data


def _parse(text: bytes) -> Checkpoint | None:
    try:
        line = json.loads(text)
        mac = line.pop("mac")
        if not same(mac, digest.of_text(_canonical(line))):
            return None
        return Checkpoint(
            str(line["at"]),
            {UUID(org): _head(head) for org, head in line["heads"].items()},
            {UUID(org): SignedStatement.parse(stored) for org, stored in line.get("public", {}).items()},
            line.get("full") is True,
            {UUID(org): frozenset(map(_head, heads)) for org, heads in line["lost"].items()}
            if "lost" in line
            else None,
        )
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return None


def _head(stored: list[Any]) -> Head:
    return int(stored[0]), str(stored[1])


def _canonical(line: Mapping[str, Any]) -> str:
    return json.dumps(line, sort_keys=True, separators=(",", ":"))
