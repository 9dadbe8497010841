"""Checkpoints of the chains, stored outside the database: one JSON line each, in a file that only grows.

A line has the head of every chain and a MAC. An attacker with full access to the database could delete the newest events
and reset the head of the chain; the last checkpoint still records the longer chain.

A line also has signed statements: the position in the public chain of each organization that has grown (`public_chain`),
and of every organization in the first line of a day. Whoever has the public key can check the statements without a secret.
Lines of earlier versions have no statements and stay valid.
"""

import contextlib
import fcntl
import json
import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final
from uuid import UUID

from django.conf import settings

from postern.apps.audits import digest, public_chain, signed_statements
from postern.apps.audits.models import AuditChain
from postern.apps.audits.public_chain import LogBroken, Position
from postern.apps.audits.signed_statements import SignedStatement
from postern.apps.audits.signing_key import SigningKey
from postern.kernel import clock
from postern.kernel.errors import SettingsError
from postern.kernel.ids import same

log = logging.getLogger(__name__)

_PIECE: Final = 65_536
_DAY: Final = len("2026-11-30")
#: Events of one organization that a periodic checkpoint chains, so that the first one on a large log ends in time.
_MOST_EVENTS: Final = 200_000


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Time, heads of the chains (organization → sequence and digest), and signed statements of organizations."""

    at: str
    heads: Mapping[UUID, tuple[int, str]]
    statements: Mapping[UUID, SignedStatement] = field(default_factory=dict)
    #: Whether the statements are those of all organizations, not only of those that have grown.
    is_full: bool = False


def path() -> Path:
    """Path of the checkpoint file."""
    folder: Path = settings.POSTERN.home / "audit"
    return folder / "checkpoints.jsonl"


def write(most: int | None = _MOST_EVENTS) -> bool:
    """Append a checkpoint if any chain has grown since the last checkpoint, or the statements are behind.

    At most `most` further events of each organization are stated; None for all.
    """
    with _opened() as file:
        chains = list(AuditChain.objects.order_by("org_id"))
        heads = {chain.org_id: (chain.sequence, chain.digest) for chain in chains}
        last, known = next(_from_end(file), None), _newest_statements(file)
        stated = _stated(chains, known, most)
        if not heads or (last is not None and (last.heads, known) == (heads, stated)):
            return False
        at = clock.now().isoformat(timespec="seconds")
        is_full = last is None or last.at[:_DAY] != at[:_DAY]
        new = {org_id: statement for org_id, statement in stated.items() if known.get(org_id) != statement}
        line: dict[str, Any] = {
            "at": at,
            "full": is_full,
            "heads": {str(org_id): list(head) for org_id, head in heads.items()},
            "public": {str(key): statement.stored() for key, statement in (stated if is_full else new).items()},
        }
        line["mac"] = digest.of_text(_canonical(line))
        _append(file, json.dumps(line, sort_keys=True).encode() + b"\n")
    signed_statements.tell_witness([new[org_id] for org_id in sorted(new)])
    return True


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
            return _newest_statements(file)
    except FileNotFoundError:
        return {}


def _newest_statements(file: BinaryIO) -> dict[UUID, SignedStatement]:
    """The newest statement about each organization. Reads back to the last line that has all of them."""
    newest: dict[UUID, SignedStatement] = {}
    for checkpoint in _from_end(file):
        newest = {**checkpoint.statements, **newest}
        if checkpoint.is_full:
            break
    return newest


def _stated(
    chains: list[AuditChain], known: Mapping[UUID, SignedStatement], most: int | None
) -> dict[UUID, SignedStatement]:
    """The statements of the next line. A chain that is not intact keeps the statement that it has: two statements that
    contradict each other are never signed.
    """
    stated = dict(known)
    try:
        key = SigningKey.current()
    except (OSError, SettingsError):
        log.exception("the signing key cannot be used, so the checkpoint is not signed")
        return stated
    at = clock.now().isoformat(timespec="seconds")
    for chain in chains:
        former = known.get(chain.org_id)
        position = former.position if former is not None else Position()
        until = chain.sequence if most is None else min(chain.sequence, position.sequence + most)
        try:
            for link in public_chain.follow(chain.org_id, position, until):
                position = link.position
            if chain.sequence < position.sequence or (
                chain.sequence == position.sequence and chain.digest != position.digest
            ):
                log.error("the head of the audit log of %s is behind its checkpoint; nothing is signed", chain.org_id)
                continue
        except LogBroken as error:
            log.error("nothing is signed: %s", error.message)  # noqa: TRY400 - no trace wanted
            continue
        if position.sequence and (former is None or position.sequence > former.position.sequence):
            stated[chain.org_id] = signed_statements.sign(key, chain.org_id, at, position)
    return stated


@contextlib.contextmanager
def _opened() -> Iterator[BinaryIO]:
    """The file, locked against a second writer."""
    path().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path(), os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "a+b", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def _append(file: BinaryIO, line: bytes) -> None:
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


def _from_end(file: BinaryIO) -> Iterator[Checkpoint]:
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
            {UUID(org): (int(head[0]), str(head[1])) for org, head in line["heads"].items()},
            {UUID(org): SignedStatement.parse(stored) for org, stored in line.get("public", {}).items()},
            line.get("full") is True,
        )
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return None


def _canonical(line: Mapping[str, Any]) -> str:
    return json.dumps(line, sort_keys=True, separators=(",", ":"))
